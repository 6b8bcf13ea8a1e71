#pragma once
#include "graph/program.h"

namespace mtf {

/// Carries a split that a rename loses, because no rule speaks of the new name, to the products behind it, whose work it
/// divides; they would be done on every processor. What lies on the way, up to where a value is needed whole, keeps the
/// split, and gradients follow what they are the gradients of. Values that a program holds lie where its layouts say.
///
///     m = rename(x, length -> memory)      x [length/p]; m, by its rules, whole
///     k = einsum(m, wk -> [memory, …])     computed in blocks of memory over p, gathered where scores need it whole
void carry_splits(Program& program);

}  // namespace mtf
