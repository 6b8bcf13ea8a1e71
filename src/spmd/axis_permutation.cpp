#include "spmd/axis_permutation.h"

#include "support/diagnostics.h"

namespace mtf::spmd {
namespace {

/// Returns the axes of a set, in the order of the mesh.
AxisList in_order(AxisSet axes) {
  AxisList list;
  for (int axis = 0; axis < kMaxAxes; ++axis)
    if (axes & axis_bit(axis)) list.push_back(axis);
  return list;
}

}  // namespace

int common_prefix(const AxisList& a, const AxisList& b) {
  int i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  return i;
}

AxisPermutation::AxisPermutation(const LocalValue& from, const LocalValue& to) : mesh_(*from.mesh) {
  AxisSet leave = 0, enter = 0;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    const AxisList &has = from.dims[d].axes, &gets = to.dims[d].axes;
    AxisList before, after;
    for (int i = common_prefix(has, gets); i < has.size(); ++i) before.push_back(has[i]);
    for (int i = common_prefix(has, gets); i < gets.size(); ++i) after.push_back(gets[i]);
    MTF_CHECK(mesh_.group_size(before.set()) == mesh_.group_size(after.set()), "{} and {} have different blocks",
              from.name, to.name);
    leave |= before.set();
    enter |= after.set();
    before_.push_back(before);
    after_.push_back(after);
  }
  before_.push_back(in_order(enter & ~leave));
  after_.push_back(in_order(leave & ~enter));
}

int64_t AxisPermutation::moved(int64_t processor, const std::vector<AxisList>& has,
                               const std::vector<AxisList>& gets) const {
  const Coordinates at = mesh_.coordinates(processor);
  Coordinates other = at;
  for (size_t k = 0; k < has.size(); ++k) {
    int64_t number = 0;
    for (int axis : has[k]) number = number * mesh_.axis_size(axis) + at[axis];
    for (int i = gets[k].size() - 1; i >= 0; --i) {
      const int64_t size = mesh_.axis_size(gets[k][i]);
      other[gets[k][i]] = static_cast<int32_t>(number % size);
      number /= size;
    }
  }
  return mesh_.processor(other);
}

}  // namespace mtf::spmd
