#pragma once
// Replicas: processors that differ only along axes that a value does not vary over hold the same block of it, bit for
// bit, also where different ranks host them.
#include <memory>
#include <span>

#include "exec/bound_plan.h"

namespace mtf {

/// Compares the blocks that ranks hold of each tensor by their hashes; where replicas differ all ranks fail (our own
/// bug). All ranks call it. `names` are those of the tensors.
void check_replicas(Machine& machine, std::span<const std::shared_ptr<Tensor>> tensors, std::span<const std::string> names);

}  // namespace mtf
