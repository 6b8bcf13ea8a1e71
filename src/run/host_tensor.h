#pragma once
// Between whole tensors of the host and the blocks of this rank.
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "plan/tensor.h"
#include "run/block_map.h"
#include "run/bound_plan.h"

namespace mtf::run {

/// This rank's blocks of a tensor, stored in the order of the dims; `fill(block, memory)` is called for each that
/// differs.
std::shared_ptr<plan::Tensor> fill_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh,
                                          const Sharding& sharding,
                                          const std::function<void(const BlockShape&, std::byte*)>& fill);
/// The same that only counts: of a dry run.
std::shared_ptr<plan::Tensor> pretend_blocks(MemoryPool& pool, const TensorType& type, const MeshPtr& mesh,
                                             const Sharding& sharding);
/// Every rank has `data`; each keeps its blocks, stored in the order of the dims.
std::shared_ptr<plan::Tensor> place_blocks(Machine& machine, const plan::HostView& data, const MeshPtr& mesh,
                                           const Sharding& sharding);
/// What a tensor holds on each processor, as a value of a local program.
spmd::LocalValue blocks_of(const plan::Tensor& tensor);
/// The whole tensor on every rank; all ranks call it.
plan::HostTensor gather_blocks(Machine& machine, const plan::Tensor& tensor);

/// Processors that differ only along axes that a value does not vary over hold the same block of it, bit for bit, also
/// where different ranks host them. Compares the blocks that ranks hold of each tensor by their hashes; where replicas
/// differ all ranks fail (our own bug). All ranks call it. `names` are those of the tensors.
void check_replicas(Machine& machine, std::span<const std::shared_ptr<plan::Tensor>> tensors,
                    std::span<const std::string> names);

}  // namespace mtf::run
