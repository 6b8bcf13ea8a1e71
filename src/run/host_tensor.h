#pragma once
// Copies between whole host tensors and the blocks of this rank.
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "plan/tensor.h"
#include "run/block_map.h"
#include "run/machine.h"

namespace mtf::run {

/// Makes this rank's blocks of a tensor, stored in the order of the dims. Calls `fill(block, memory)` for each distinct
/// block.
std::shared_ptr<plan::Tensor> fill_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh,
                                          const Sharding& sharding,
                                          const std::function<void(const BlockShape&, std::byte*)>& fill);
/// Makes a tensor of a dry run, which is counted but has no memory.
std::shared_ptr<plan::Tensor> pretend_blocks(MemoryPool& pool, const TensorType& type, const MeshPtr& mesh,
                                             const Sharding& sharding);
/// Makes this rank's blocks of `data`, which every rank passes. Stores them in the order of the dims.
std::shared_ptr<plan::Tensor> place_blocks(Machine& machine, const plan::HostView& data, const MeshPtr& mesh,
                                           const Sharding& sharding);
/// Returns the local value that describes the blocks of a tensor.
spmd::LocalValue blocks_of(const plan::Tensor& tensor);
/// Returns the whole tensor on every rank. All ranks call it.
plan::HostTensor gather_blocks(Machine& machine, const plan::Tensor& tensor);

/// Checks that replicas of a block have the same bits on all ranks that hold them. Compares hashes of the blocks. If
/// replicas differ, all ranks fail: it is a bug of ours. All ranks call it. `names` are the names of the tensors.
void check_replicas(Machine& machine, std::span<const std::shared_ptr<plan::Tensor>> tensors,
                    std::span<const std::string> names);

}  // namespace mtf::run
