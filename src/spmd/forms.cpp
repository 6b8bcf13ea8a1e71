#include "spmd/forms.h"

#include <bit>

#include "types/key.h"

namespace mtf::spmd {
namespace {

void make_key(std::string& key, const graph::LaidOutOperation& operation) {
  key.clear();
  append(key, static_cast<const graph::Operation&>(operation));
  append(key, operation.mesh.get());
  mtf::append(key, operation.inputs.size());
  for (double number : operation.inputs) mtf::append(key, std::bit_cast<uint64_t>(number));
  for (const Sharding& sharding : operation.shardings)
    for (const AxisList& axes : sharding.dims) append(key, axes);
}

}  // namespace

int32_t Forms::of(const graph::OperationRef& operation) {
  const auto [at, fresh] = seen_.try_emplace(operation, 0);
  if (!fresh) return at->second;
  make_key(key_, *operation);
  return at->second = numbers_.try_emplace(key_, static_cast<int32_t>(numbers_.size())).first->second;
}

}  // namespace mtf::spmd
