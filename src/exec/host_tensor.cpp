#include "exec/host_tensor.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "exec/collective.h"
#include "schedule/pack.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

LocalValue local_value(const TensorType& type, const MeshPtr& mesh, const Sharding& sharding, std::vector<int8_t> order) {
  LocalValue value;
  value.name = "value";
  value.element = type.element;
  value.mesh = mesh;
  value.partial = sharding.partial;
  value.order = std::move(order);
  for (size_t i = 0; i < type.dims.size(); ++i) value.dims.push_back({type.dims[i], sharding.dims[i], false, {}});
  return value;
}

}  // namespace

void store_number(ElementType type, double number, void* at) {
  switch (type) {
    case ElementType::kBool: *static_cast<uint8_t*>(at) = number != 0; return;
    case ElementType::kI32: *static_cast<int32_t*>(at) = static_cast<int32_t>(static_cast<int64_t>(number)); return;
    case ElementType::kBf16: *static_cast<Bf16*>(at) = to_bf16(static_cast<float>(number)); return;
    case ElementType::kF32: *static_cast<float*>(at) = static_cast<float>(number); return;
    case ElementType::kF64: *static_cast<double*>(at) = number; return;
  }
}

HostTensor host_number(ElementType element, double number) {
  HostTensor host{{element, {}}, {}};
  host.bytes.resize(static_cast<size_t>(size_of(element)));
  store_number(element, number, host.bytes.data());
  return host;
}

double HostTensor::number(int64_t index) const {
  const std::byte* at = bytes.data() + index * size_of(type.element);
  auto read = [&](auto zero) {
    std::memcpy(&zero, at, sizeof zero);
    return zero;
  };
  switch (type.element) {
    case ElementType::kBool: return read(uint8_t{});
    case ElementType::kI32: return read(int32_t{});
    case ElementType::kBf16: return to_float(Bf16{read(uint16_t{})});
    case ElementType::kF32: return read(float{});
    case ElementType::kF64: return read(double{});
  }
  return 0;
}

namespace {

/// A tensor without memory, with what it takes of one processor alone and where its blocks begin.
struct Unfilled {
  std::shared_ptr<Tensor> tensor = std::make_shared<Tensor>();
  LocalValue value;
  int64_t alone = 0;

  Unfilled(const TensorType& type, const MeshPtr& mesh, const Sharding& sharding) : value(local_value(type, mesh, sharding, as_written(type.dims.size()))) {
    tensor->type = type;
    tensor->mesh = mesh;
    tensor->sharding = sharding;
    tensor->order = value.order;
    alone = padded(most_elements(value) * size_of(type.element));
  }
};

}  // namespace

std::shared_ptr<Tensor> pretend_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh, const Sharding& sharding) {
  Unfilled made(type, mesh, sharding);
  made.tensor->storage = machine.pool->pretend(made.alone);
  return made.tensor;
}

std::shared_ptr<Tensor> fill_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh, const Sharding& sharding,
                                    const std::function<void(const BlockShape&, std::byte*)>& fill) {
  Unfilled made(type, mesh, sharding);
  Tensor& tensor = *made.tensor;
  const Hosting& hosting = machine.hostings.of(mesh);
  const Places& places = hosting.places(made.value.varies());
  std::vector<BlockShape> shapes;
  int64_t largest = 0;
  for (int hosted : places.first) {
    shapes.push_back(block_at(made.value, hosting.coordinates()[hosted]));
    largest = std::max(largest, padded(shapes.back().elements * size_of(type.element)));
  }
  tensor.storage = machine.pool->allocate(largest * places.count(), made.alone);
  for (int p = 0; p < places.count(); ++p)
    if (shapes[p].elements > 0) fill(shapes[p], tensor.storage->data() + p * largest);
  for (int place : places.of) tensor.blocks.push_back(tensor.storage->data() + place * largest);
  return made.tensor;
}

std::shared_ptr<Tensor> place_blocks(Machine& machine, const HostTensor& data, const MeshPtr& mesh, const Sharding& sharding) {
  const int64_t unit = size_of(data.type.element);
  BlockShape whole;
  for (const Dim& dim : data.type.dims) whole.box.push_back({0, dim.size});
  whole.strides = dense_strides(whole.box, as_written(data.type.dims.size()));
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

std::vector<int8_t> as_written(size_t dims) {
  std::vector<int8_t> order(dims);
  std::iota(order.begin(), order.end(), int8_t{0});
  return order;
}

LocalValue blocks_of(const Tensor& tensor) { return local_value(tensor.type, tensor.mesh, tensor.sharding, tensor.order); }

HostTensor gather_blocks(Machine& machine, const Tensor& tensor) {
  MTF_CHECK(tensor.sharding.partial == 0, "a partial value is read by the host");
  LocalValue from = blocks_of(tensor);
  LocalValue to = local_value(tensor.type, tensor.mesh, replicated(tensor.type.dims.size()), as_written(tensor.type.dims.size()));
  HostTensor result;
  result.type = tensor.type;
  result.bytes.resize(static_cast<size_t>(size_of(tensor.type.dims) * size_of(tensor.type.element)));
  const Hosting& hosting = machine.hostings.of(tensor.mesh);
  std::vector<void*> blocks;
  for (int hosted : hosting.places(from.varies()).first) blocks.push_back(tensor.blocks[hosted]);
  std::vector<void*> whole = {result.bytes.data()};
  const auto gather = bind_collective(hosting, InstructionKind::kAllGather, {&from}, {&to}, tensor.sharding.split(), Reduction::kSum);
  std::shared_ptr<Storage> staging = machine.pool->allocate(gather->staging_bytes(), 0);
  std::span<void* const> operands[] = {blocks};
  std::span<void* const> results[] = {whole};
  gather->begin(operands, results, {machine.transport, staging->data(), machine.collectives_begun++});
  gather->finish(machine.transport);
  return result;
}

}  // namespace mtf
