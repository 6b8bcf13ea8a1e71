#include "spmd/reshard_problem.h"

namespace mtf::spmd {

int common_prefix(const AxisList& a, const AxisList& b) {
  int i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  return i;
}

ReshardTranslation::ReshardTranslation(const TensorType& type, const Sharding& from, const Sharding& wanted,
                                       const Mesh& mesh, bool together) {
  problem_.element_bytes = static_cast<double>(size_of(type.element));
  std::array<int, kMaxAxes> after_from, after_wanted;  // which axis follows each
  after_from.fill(-1);
  after_wanted.fill(-1);
  AxisSet moving = from.partial | wanted.partial;
  for (size_t d = 0; d < type.dims.size(); ++d) {
    const AxisList &a = from.dims[d], &b = wanted.dims[d];
    const int same = common_prefix(a, b);
    AxisList prefix;
    for (int i = 0; i < same; ++i) prefix.push_back(a[i]);
    prefixes_.push_back(prefix);
    problem_.sizes.push_back(block_size(type.dims[d].size, prefix, mesh));
    for (int i = same; i < a.size(); ++i) moving |= axis_bit(a[i]);
    for (int i = same; i < b.size(); ++i) moving |= axis_bit(b[i]);
    for (int i = same; i + 1 < a.size(); ++i) after_from[a[i]] = a[i + 1];
    for (int i = same; i + 1 < b.size(); ++i) after_wanted[b[i]] = b[i + 1];
  }
  AxisSet second = 0;  // axes that another brings with it
  for (int axis = 0; together && axis < mesh.order(); ++axis)
    if (after_from[axis] >= 0 && after_from[axis] == after_wanted[axis]) second |= axis_bit(after_from[axis]);
  number_.fill(-1);
  for (int axis = 0; axis < mesh.order(); ++axis) {
    if (!(moving & ~second & axis_bit(axis))) continue;
    AxisList all{axis};
    while (second && after_from[all.back()] >= 0 && (second & axis_bit(after_from[all.back()])))
      all.push_back(after_from[all.back()]);
    number_[axis] = static_cast<int>(problem_.axes.size());
    int64_t members = 1;
    for (int i = 0; i < all.size(); ++i) members *= mesh.axis_size(all[i]);
    problem_.axes.push_back(all);
    problem_.shapes.emplace_back();
    for (int i = 0; i < all.size(); ++i) problem_.shapes.back().push_back(mesh.axis_size(all[i]));
    problem_.members.push_back(members);
  }
  problem_.from = inward(from);
  problem_.wanted = inward(wanted);
}

ReshardWay ReshardTranslation::outward(ReshardWay way) const {
  for (ReshardMove& move : way.moves) {
    move.axes = outward(move.axes);
    move.to.partial = outward(move.to.partial);
    for (size_t d = 0; d < move.to.dims.size(); ++d) {
      AxisList list = prefixes_[d];
      for (int axis : move.to.dims[d])
        for (int one : problem_.axes[axis]) list.push_back(one);
      move.to.dims[d] = list;
    }
  }
  return way;
}

Sharding ReshardTranslation::inward(const Sharding& sharding) const {
  Sharding result;
  for (size_t d = 0; d < sharding.dims.size(); ++d) {
    AxisList list;
    for (int i = prefixes_[d].size(); i < sharding.dims[d].size(); ++i)
      if (const int axis = number_[sharding.dims[d][i]]; axis >= 0) list.push_back(axis);
    result.dims.push_back(list);
  }
  for (size_t axis = 0; axis < problem_.axes.size(); ++axis)
    if (sharding.partial & axis_bit(problem_.axes[axis][0])) result.partial |= axis_bit(static_cast<int>(axis));
  return result;
}

AxisSet ReshardTranslation::outward(AxisSet set) const {
  AxisSet axes = 0;
  for (size_t axis = 0; axis < problem_.axes.size(); ++axis)
    if (set & axis_bit(static_cast<int>(axis))) axes |= problem_.axes[axis].set();
  return axes;
}

}  // namespace mtf::spmd
