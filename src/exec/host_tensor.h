#pragma once
// Between whole tensors of the host and the blocks of this rank.
#include <functional>
#include <memory>

#include "exec/block_map.h"
#include "exec/bound_plan.h"
#include "exec/tensor.h"

namespace mtf {

/// A number of the host as a tensor without dims.
HostTensor host_number(ElementType element, double number);
/// Writes `number` as an element at `at`.
void store_number(ElementType element, double number, void* at);

/// This rank's blocks of a tensor, stored in the order of the dims; `fill(block, memory)` is called for each that differs.
std::shared_ptr<Tensor> fill_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh, const Sharding& sharding,
                                    const std::function<void(const BlockShape&, std::byte*)>& fill);
/// The same that only counts: of a dry run.
std::shared_ptr<Tensor> pretend_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh, const Sharding& sharding);
/// Every rank has `data`; each keeps its blocks, stored in the order of the dims.
std::shared_ptr<Tensor> place_blocks(Machine& machine, const HostTensor& data, const MeshPtr& mesh, const Sharding& sharding);
/// The storage order of so many dims as they are written.
std::vector<int8_t> as_written(size_t dims);
/// What a tensor holds on each processor, as a value of a local program.
LocalValue blocks_of(const Tensor& tensor);
/// The whole tensor on every rank; all ranks call it.
HostTensor gather_blocks(Machine& machine, const Tensor& tensor);

}  // namespace mtf
