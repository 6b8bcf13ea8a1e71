#include "types/sharding.h"

namespace mtf {

AxisSet Sharding::split() const {
  AxisSet axes = 0;
  for (const AxisList& list : dims) axes |= list.set();
  return axes;
}

AxisSet Sharding::varies() const { return split() | partial; }

Interval block_of(int64_t size, const AxisList& axes, const Mesh& mesh, const Coordinates& coordinates) {
  Interval block{0, size};
  for (int axis : axes) {
    int64_t step = ceil_div(block.size(), mesh.axis_size(axis));
    int64_t first = std::min(block.first + coordinates[axis] * step, block.last);
    block = {first, std::min(first + step, block.last)};
  }
  return block;
}

int64_t block_size(int64_t size, const AxisList& axes, const Mesh& mesh) {
  for (int axis : axes) size = ceil_div(size, mesh.axis_size(axis));
  return size;
}

bool splits_evenly(int64_t size, const AxisList& axes, const Mesh& mesh) {
  return size % mesh.group_size(axes.set()) == 0;
}

std::string to_string(const TensorType& type, const Sharding& sharding, const Mesh& mesh) {
  std::string text = std::string(name(type.element)) + "[";
  for (size_t i = 0; i < type.dims.size(); ++i) {
    text += (i ? ", " : "") + to_string(type.dims[i]);
    const AxisList& axes = sharding.dims[i];
    for (int k = 0; k < axes.size(); ++k) text += (k ? "+" : "/") + mesh.axes()[axes[k]].name.str();
  }
  text += "]";
  if (sharding.partial) text += " partial over " + mesh.axes_to_string(sharding.partial);
  return text;
}

}  // namespace mtf
