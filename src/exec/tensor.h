#pragma once
// Tensors that have been computed: this rank's blocks of them.
//
// A Tensor holds, for each processor that this rank hosts, the block that the sharding says; processors that hold
// replicas share one. All blocks lie in one storage, each padded and aligned to 64 bytes, their dims in one order.
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/block.h"
#include "types/dim.h"
#include "types/sharding.h"

namespace mtf {

class Storage;  // exec/storage.h: counted, aligned memory

class Tensor {
 public:
  TensorType type;
  MeshPtr mesh;
  Sharding sharding;          ///< not partial unless a loop's turn left it so
  std::vector<int8_t> order;  ///< storage order: indices of dims, outermost first
  std::shared_ptr<Storage> storage;
  std::vector<void*> blocks;  ///< for each processor hosted here, in order
};

/// A whole tensor in the host's memory, row-major in the order of its dims.
struct HostTensor {
  TensorType type;
  std::vector<std::byte> bytes;
  double number(int64_t index) const;  ///< any element type as a double
};

}  // namespace mtf
