#pragma once
#include "graph/program.h"

namespace mtf {

/// Carries a split that a rename loses, because no rule speaks of the new name, to the products behind it, whose work it
/// divides; they would be done on every processor. What lies on the way, up to where a value is needed whole, keeps the
/// split, and gradients follow what they are the gradients of. Roots lie where their layouts say, but for those that are
/// kept for gradients alone (`only_history`, of each root; none without it).
///
///     m = rename(x, length -> memory)      x [length/p]; m, by its rules, whole
///     k = einsum(m, wk -> [memory, …])     computed in blocks of memory over p, gathered where scores need it whole
void carry_splits(Program& program, const std::vector<bool>& only_history = {});

}  // namespace mtf
