#include "run/block_map.h"

#include <algorithm>

namespace mtf::run {

std::vector<int64_t> dense_strides(const std::vector<Interval>& box, const std::vector<int8_t>& order) {
  std::vector<int64_t> strides(box.size(), 1);
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= std::max<int64_t>(1, box[order[i]].size());
  }
  return strides;
}

BlockShape block_at(const spmd::LocalValue& value, const Coordinates& coordinates) {
  BlockShape shape;
  for (const spmd::LocalDim& dim : value.dims) {
    shape.box.push_back(value.mesh ? bounds(dim, *value.mesh, coordinates) : Interval{0, dim.dim.size});
    shape.elements *= shape.box.back().size();
  }
  shape.strides = dense_strides(shape.box, value.order);
  return shape;
}

kernels::Block kernel_block(const spmd::LocalValue& value, const BlockShape& shape) {
  kernels::Block block;
  block.element = value.element;
  for (size_t i = 0; i < value.dims.size(); ++i)
    block.dims.push_back({shape.box[i].first, shape.box[i].size(), value.dims[i].dim.size, shape.strides[i]});
  return block;
}

int64_t most_elements(const spmd::LocalValue& value) {
  int64_t elements = 1;
  for (const spmd::LocalDim& dim : value.dims) {
    int64_t most = 0;
    if (!value.mesh) {
      most = dim.dim.size;
    } else if (!dim.mapped) {
      most = bounds(dim, *value.mesh, Coordinates{}).size();  // the first block is the largest
    } else {
      for (int64_t processor : value.mesh->group(0, dim.axes.set()))
        most = std::max(most, bounds(dim, *value.mesh, value.mesh->coordinates(processor)).size());
    }
    elements *= most;
  }
  return elements;
}

}  // namespace mtf::run
