#include "spmd/remesh.h"

#include <optional>

namespace mtf::spmd {
namespace {

/// Returns axes of `to` that span the same digits as `axes` of `from`, in the same order.
std::optional<AxisList> spanned(const AxisList& axes, const Mesh& from, const Mesh& to) {
  AxisList result;
  for (int i = 0; i < axes.size();) {
    if (from.axis_size(axes[i]) == 1) {
      ++i;
      continue;
    }
    const int64_t high = from.stride(axes[i]) * from.axis_size(axes[i]);
    int64_t low = from.stride(axes[i++]);
    while (i < axes.size() && from.stride(axes[i]) * from.axis_size(axes[i]) == low) low = from.stride(axes[i++]);
    int64_t reached = high;
    for (int axis = 0; axis < to.order() && reached > low; ++axis) {
      if (to.axis_size(axis) == 1 || to.stride(axis) * to.axis_size(axis) != reached) continue;
      reached = to.stride(axis);
      result.push_back(axis);
    }
    if (reached != low) return std::nullopt;
  }
  return result;
}

/// True if two lists that span the same digits give the same blocks.
bool same_blocks(int64_t size, const AxisList& a, const Mesh& from, const AxisList& b, const Mesh& to) {
  if (splits_evenly(size, a, from) && splits_evenly(size, b, to)) return true;
  std::vector<int64_t> sizes, others;
  for (int axis : a)
    if (from.axis_size(axis) > 1) sizes.push_back(from.axis_size(axis));
  for (int axis : b)
    if (to.axis_size(axis) > 1) others.push_back(to.axis_size(axis));
  return sizes == others;
}

}  // namespace

Remeshed remeshed(const Dims& dims, const Sharding& sharding, const Mesh& from, const Mesh& to) {
  Remeshed result{replicated(dims.size()), replicated(dims.size())};
  if (from.size() != to.size()) return result;
  for (size_t d = 0; d < dims.size(); ++d) {
    for (AxisList list = sharding.dims[d]; !list.empty(); list.pop_back()) {
      const std::optional<AxisList> there = spanned(list, from, to);
      if (!there || !same_blocks(dims[d].size, list, from, *there, to)) continue;
      result.stays.dims[d] = list;
      result.there.dims[d] = *there;
      break;
    }
  }
  return result;
}

}  // namespace mtf::spmd
