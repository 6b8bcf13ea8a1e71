#include "plan/tensor.h"

#include <cstring>
#include <numeric>

namespace mtf::plan {

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
  return number_at(type.element, bytes.data() + index * size_of(type.element));
}

double number_at(ElementType element, const void* at) {
  auto read = [&](auto zero) {
    std::memcpy(&zero, at, sizeof zero);
    return zero;
  };
  switch (element) {
    case ElementType::kBool: return read(uint8_t{});
    case ElementType::kI32: return read(int32_t{});
    case ElementType::kBf16: return to_float(Bf16{read(uint16_t{})});
    case ElementType::kF32: return read(float{});
    case ElementType::kF64: return read(double{});
  }
  return 0;
}

const void* whole_block(const Tensor& tensor) {
  if (tensor.blocks.empty() || tensor.mesh->group_size(tensor.sharding.varies()) != 1) return nullptr;
  int last = -1;
  for (const int8_t dim : tensor.order) {
    if (tensor.type.dims[static_cast<size_t>(dim)].size == 1) continue;  // its position does not matter
    if (dim < last) return nullptr;
    last = dim;
  }
  return tensor.blocks[0];
}

std::vector<int8_t> as_written(size_t dims) {
  std::vector<int8_t> order(dims);
  std::iota(order.begin(), order.end(), int8_t{0});
  return order;
}

}  // namespace mtf::plan
