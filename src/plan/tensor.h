#pragma once
// Tensors as runtimes give and take them: those that have been computed, this rank's blocks of them, and whole ones of
// the host.
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

class Storage;  // a runtime's memory: run/storage.h

class Tensor {
 public:
  TensorType type;
  MeshPtr mesh;
  Sharding sharding;                 ///< not partial unless a loop's turn left it so
  std::vector<int8_t> order;         ///< storage order: indices of dims, outermost first
  std::shared_ptr<Storage> storage;  ///< null if its runtime keeps no count of it: plans never write over it then
  std::vector<void*> blocks;         ///< for each processor hosted here, in order
};

/// A whole tensor in the host's memory, row-major in the order of its dims.
struct HostTensor {
  TensorType type;
  std::vector<std::byte> bytes;
  double number(int64_t index) const;  ///< any element type as a double
};

/// A number of the host as a tensor without dims.
HostTensor host_number(ElementType element, double number);
/// Writes `number` as an element at `at`.
void store_number(ElementType element, double number, void* at);
/// The storage order of so many dims as they are written.
std::vector<int8_t> as_written(size_t dims);

}  // namespace mtf
