#pragma once
// A processor's block of a tensor, as kernels see it.
//
// A block is a box of the whole tensor: for each dim the place of its first element, how many there are, and how many
// the whole dim has. In memory its dims lie in any order: each has a stride, in elements; the block itself is dense
// (the strides are the sizes' products in some order). A kernel that needs a place (range, one_hot, random numbers, a
// masked gather) reads `first`; one that does not ignores it. Where an operand is read across a block's edge (slice,
// pad, shift, convolution) `first` may be negative and `first + size` past `whole`: such positions wrap around.
#include <cstdint>
#include <vector>

#include "kernels/element_type.h"

namespace mtf::kernels {

struct BlockDim {
  int64_t first = 0;   ///< index in the whole dim of the block's first element
  int64_t size = 0;    ///< elements of this block
  int64_t whole = 0;   ///< elements of the whole dim
  int64_t stride = 0;  ///< elements between neighbours in memory
  bool operator==(const BlockDim&) const = default;
};

struct Block {
  ElementType element = ElementType::kF32;
  void* data = nullptr;        ///< 64-byte aligned
  std::vector<BlockDim> dims;  ///< in the order of the tensor's dims
  int64_t size() const {
    int64_t n = 1;
    for (const BlockDim& d : dims) n *= d.size;
    return n;
  }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

}  // namespace mtf::kernels
