#include "schedule/same_memory.h"

#include <functional>

namespace mtf::schedule {
namespace {

uint64_t hash_of(const spmd::LocalValue& value) {
  uint64_t hash =
      std::hash<const void*>()(value.mesh.get()) ^ static_cast<uint64_t>(size_of(value.element)) << 32 ^ value.varies();
  for (int8_t d : value.order) hash = hash * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(value.dims[d].dim.size);
  return hash;
}

}  // namespace

bool same_memory(const spmd::LocalValue& a, const spmd::LocalValue& b) {
  if (a.mesh != b.mesh || a.varies() != b.varies() || a.dims.size() != b.dims.size()) return false;
  if (size_of(a.element) != size_of(b.element)) return false;
  for (size_t i = 0; i < a.order.size(); ++i) {
    const spmd::LocalDim& x = a.dims[a.order[i]];
    const spmd::LocalDim& y = b.dims[b.order[i]];
    if (x.dim.size != y.dim.size || x.axes != y.axes || x.mapped != y.mapped || !(x.map == y.map)) return false;
  }
  return true;
}

int MemoryKinds::of(int value) {
  std::vector<int>& kinds = by_hash_[hash_of(program_.values[value])];
  for (int kind : kinds)
    if (same_memory(program_.values[one_of_[kind]], program_.values[value])) return kind;
  kinds.push_back(static_cast<int>(one_of_.size()));
  one_of_.push_back(value);
  return kinds.back();
}

}  // namespace mtf::schedule
