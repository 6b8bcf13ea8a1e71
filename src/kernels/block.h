#pragma once
// A processor's block of a tensor, as kernels see it.
//
// A block is a box of the gathered tensor. For each dim it has the index of its first element, its size, and the size
// of the gathered dim. Its dims may be stored in any order: each has a stride, in elements. The block itself is dense:
// the strides are the products of the sizes in some order. A kernel that needs global indices (range, one_hot, random
// numbers, a masked gather) reads `first`; others ignore it. If an operand is read across a block's edge (slice, pad,
// shift, convolution), `first` may be negative and `first + size` may exceed `whole`. Such positions wrap around.
#include <cstdint>
#include <vector>

#include "kernels/element_type.h"

namespace mtf::kernels {

struct BlockDim {
  int64_t first = 0;   ///< index of the block's first element in the gathered dim
  int64_t size = 0;    ///< elements of this block
  int64_t whole = 0;   ///< elements of the gathered dim
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
