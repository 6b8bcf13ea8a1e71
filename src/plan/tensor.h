#pragma once
// Tensors as runtimes give and take them: those that have been computed, this rank's blocks of them, and whole ones of
// the host.
//
// A Tensor holds, for each processor that this rank hosts, the block that the sharding says; processors that hold
// replicas share one. All blocks lie in one storage, each padded and aligned to 64 bytes, their dims in one order.
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/block.h"
#include "types/dim.h"
#include "types/sharding.h"

namespace mtf::run {
class Storage;  // a runtime's memory: run/storage.h
}

namespace mtf::plan {

class Tensor {
 public:
  TensorType type;
  MeshPtr mesh;
  Sharding sharding;                      ///< not partial unless a loop's turn left it so
  std::vector<int8_t> order;              ///< storage order: indices of dims, outermost first
  std::shared_ptr<run::Storage> storage;  ///< null if its runtime keeps no count of it: plans never write over it then
  std::vector<void*> blocks;              ///< for each processor hosted here, in order
};

/// The memory of the whole tensor, row-major in the order of its dims, where one block that this rank hosts is that;
/// else null.
const void* whole_block(const Tensor& tensor);

/// A whole tensor in the host's memory, row-major in the order of its dims.
struct HostTensor {
  TensorType type;
  std::vector<std::byte> bytes;
  double number(int64_t index) const;  ///< any element type as a double
};

/// The same in memory that somebody else holds.
struct HostView {
  TensorType type;
  std::span<const std::byte> bytes;
  HostView(TensorType of, std::span<const std::byte> held) : type(std::move(of)), bytes(held) {}
  HostView(const HostTensor& tensor)
      : type(tensor.type), bytes(tensor.bytes) {}  // NOLINT: wherever a view is asked for
};

/// A number of the host as a tensor without dims.
HostTensor host_number(ElementType element, double number);
/// The element at `at` as a double.
double number_at(ElementType element, const void* at);
/// Writes `number` as an element at `at`.
void store_number(ElementType element, double number, void* at);
/// The storage order of so many dims as they are written.
std::vector<int8_t> as_written(size_t dims);

}  // namespace mtf::plan
