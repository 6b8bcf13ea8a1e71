#include "run/host_tensor.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "run/collective.h"
#include "schedule/pack.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

spmd::LocalValue local_value(const TensorType& type, const MeshPtr& mesh, const Sharding& sharding,
                             std::vector<int8_t> order) {
  spmd::LocalValue value;
  value.name = "value";
  value.element = type.element;
  value.mesh = mesh;
  value.partial = sharding.partial;
  value.order = std::move(order);
  for (size_t i = 0; i < type.dims.size(); ++i) value.dims.push_back({type.dims[i], sharding.dims[i], false, {}});
  return value;
}

/// A tensor without memory, its value in a local program, and the bytes of one processor.
struct Unfilled {
  std::shared_ptr<plan::Tensor> tensor = std::make_shared<plan::Tensor>();
  spmd::LocalValue value;
  int64_t alone = 0;

  Unfilled(const TensorType& type, const MeshPtr& mesh, const Sharding& sharding)
      : value(local_value(type, mesh, sharding, plan::as_written(type.dims.size()))) {
    tensor->type = type;
    tensor->mesh = mesh;
    tensor->sharding = sharding;
    tensor->order = value.order;
    alone = schedule::padded(most_elements(value) * size_of(type.element));
  }
};

}  // namespace

std::shared_ptr<plan::Tensor> pretend_blocks(MemoryPool& pool, const TensorType& type, const MeshPtr& mesh,
                                             const Sharding& sharding) {
  Unfilled made(type, mesh, sharding);
  made.tensor->storage = pool.pretend(made.alone);
  return made.tensor;
}

std::shared_ptr<plan::Tensor> fill_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh,
                                          const Sharding& sharding,
                                          const std::function<void(const BlockShape&, std::byte*)>& fill) {
  Unfilled made(type, mesh, sharding);
  plan::Tensor& tensor = *made.tensor;
  const Hosting& hosting = machine.hostings.of(mesh);
  const Slots& slots = hosting.slots(made.value.varies());
  std::vector<BlockShape> shapes;
  int64_t largest = 0;
  for (int hosted : slots.first) {
    shapes.push_back(block_at(made.value, hosting.coordinates()[hosted]));
    largest = std::max(largest, schedule::padded(shapes.back().elements * size_of(type.element)));
  }
  tensor.storage = machine.pool->allocate(largest * slots.count(), made.alone);
  for (int p = 0; p < slots.count(); ++p)
    if (shapes[p].elements > 0) fill(shapes[p], tensor.storage->data() + p * largest);
  for (int slot : slots.of) tensor.blocks.push_back(tensor.storage->data() + slot * largest);
  return made.tensor;
}

std::shared_ptr<plan::Tensor> place_blocks(Machine& machine, const plan::HostView& data, const MeshPtr& mesh,
                                           const Sharding& sharding) {
  const int64_t unit = size_of(data.type.element);
  BlockShape whole;
  for (const Dim& dim : data.type.dims) whole.box.push_back({0, dim.size});
  whole.strides = dense_strides(whole.box, plan::as_written(data.type.dims.size()));
  return fill_blocks(machine, data.type, mesh, sharding, [&](const BlockShape& block, std::byte* memory) {
    BoxCopy copy;
    copy.element_size = static_cast<int>(unit);
    copy.from_strides = whole.strides;
    copy.to_strides = block.strides;
    for (size_t i = 0; i < block.box.size(); ++i) {
      copy.sizes.push_back(block.box[i].size());
      copy.from_offset += block.box[i].first * whole.strides[i] * unit;
    }
    run(copy, data.bytes.data(), memory);
  });
}

spmd::LocalValue blocks_of(const plan::Tensor& tensor) {
  return local_value(tensor.type, tensor.mesh, tensor.sharding, tensor.order);
}

plan::HostTensor gather_blocks(Machine& machine, const plan::Tensor& tensor) {
  MTF_CHECK(tensor.sharding.partial == 0, "a partial value is read by the host");
  spmd::LocalValue from = blocks_of(tensor);
  spmd::LocalValue to = local_value(tensor.type, tensor.mesh, replicated(tensor.type.dims.size()),
                                    plan::as_written(tensor.type.dims.size()));
  plan::HostTensor result;
  result.type = tensor.type;
  result.bytes.resize(static_cast<size_t>(size_of(tensor.type.dims) * size_of(tensor.type.element)));
  const Hosting& hosting = machine.hostings.of(tensor.mesh);
  std::vector<void*> blocks;
  for (int hosted : hosting.slots(from.varies()).first) blocks.push_back(tensor.blocks[hosted]);
  std::vector<void*> whole = {result.bytes.data()};
  const auto gather = bind_collective(hosting, spmd::InstructionKind::kAllGather, {&from}, {&to},
                                      tensor.sharding.split(), kernels::Reduction::kSum);
  std::shared_ptr<Storage> staging = machine.pool->allocate(gather->staging_bytes(), 0);
  std::span<void* const> operands[] = {blocks};
  std::span<void* const> results[] = {whole};
  gather->begin(operands, results, {machine.transport, staging->data(), machine.collectives_begun++});
  gather->finish(machine.transport);
  return result;
}

namespace {

int64_t hash(const void* data, int64_t bytes) {
  return static_cast<int64_t>(
      std::hash<std::string_view>()({static_cast<const char*>(data), static_cast<size_t>(bytes)}) >> 2);
}

/// Returns the number of a processor's block among all distinct blocks.
int64_t block_number(const Mesh& mesh, AxisSet varies, const Coordinates& coordinates) {
  int64_t number = 0;
  for (int axis = 0; axis < mesh.order(); ++axis)
    if (varies & axis_bit(axis)) number = number * mesh.axis_size(axis) + coordinates[axis];
  return number;
}

}  // namespace

void check_replicas(Machine& machine, std::span<const std::shared_ptr<plan::Tensor>> tensors,
                    std::span<const std::string> names) {
  if (machine.transport.ranks() == 1) return;  // replicas on one rank share their memory
  // For each block its hash and the complement. The maxima over all ranks are complements only if all hashes are equal.
  constexpr int64_t kNobody = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> numbers;
  std::vector<size_t> begin;
  for (const std::shared_ptr<plan::Tensor>& tensor : tensors) {
    begin.push_back(numbers.size());
    const spmd::LocalValue value = blocks_of(*tensor);
    const Hosting& hosting = machine.hostings.of(tensor->mesh);
    numbers.resize(numbers.size() + 2 * static_cast<size_t>(hosting.mesh()->group_size(value.varies())), kNobody);
    for (size_t hosted = 0; hosted < hosting.processors().size(); ++hosted) {
      const Coordinates& coordinates = hosting.coordinates()[hosted];
      const int64_t bytes = block_at(value, coordinates).elements * size_of(value.element),
                    code = hash(tensor->blocks[hosted], bytes);
      const size_t slot =
          begin.back() + 2 * static_cast<size_t>(block_number(*hosting.mesh(), value.varies(), coordinates));
      numbers[slot] = code;
      numbers[slot + 1] = ~code;
    }
  }
  begin.push_back(numbers.size());
  machine.transport.max_of_all(numbers);
  for (size_t t = 0; t < tensors.size(); ++t)
    for (size_t i = begin[t]; i < begin[t + 1]; i += 2)
      MTF_CHECK(numbers[i] == ~numbers[i + 1], "replicas of {} differ between ranks, in block {}", names[t],
                (i - begin[t]) / 2);
}

}  // namespace mtf::run
