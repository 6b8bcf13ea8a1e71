#include "spmd/axis_permutation.h"

#include "support/diagnostics.h"

namespace mtf::spmd {

void close_chains(std::array<int8_t, kMaxAxes>& map) {
  std::array<int8_t, kMaxAxes> before;
  before.fill(-1);
  for (int axis = 0; axis < kMaxAxes; ++axis)
    if (map[axis] >= 0) before[map[axis]] = static_cast<int8_t>(axis);
  for (int axis = 0; axis < kMaxAxes; ++axis) {
    if (map[axis] >= 0) continue;
    int first = axis;
    while (before[first] >= 0) first = before[first];
    map[axis] = static_cast<int8_t>(first);
  }
}

AxisPermutation::AxisPermutation(const LocalValue& from, const LocalValue& to) : mesh_(*from.mesh) {
  place_of_.fill(-1);
  for (size_t d = 0; d < from.dims.size(); ++d) {
    const AxisList &has = from.dims[d].axes, &gets = to.dims[d].axes;
    MTF_CHECK(has.size() == gets.size(), "{} and {} are split over different numbers of axes", from.name, to.name);
    for (int i = 0; i < has.size(); ++i) {
      MTF_CHECK(mesh_.axis_size(has[i]) == mesh_.axis_size(gets[i]), "axes of different sizes change places in {}",
                to.name);
      place_of_[has[i]] = static_cast<int8_t>(gets[i]);
    }
  }
  close_chains(place_of_);
  for (int axis = 0; axis < kMaxAxes; ++axis) axis_at_[place_of_[axis]] = static_cast<int8_t>(axis);
}

int64_t AxisPermutation::moved(int64_t processor, const Places& places) const {
  const Coordinates at = mesh_.coordinates(processor);
  Coordinates other{};
  for (int axis = 0; axis < mesh_.order(); ++axis) other[axis] = at[places[axis]];
  return mesh_.processor(other);
}

}  // namespace mtf::spmd
