#pragma once
// Tensors at the interface of runtimes: this rank's blocks of computed tensors, and whole tensors of the host.
//
// A Tensor holds one block for each processor that this rank hosts. Processors that hold replicas share a block. All
// blocks are in one storage. Each is padded and aligned to 64 bytes, and all have the same storage order.
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
  Sharding sharding;                      ///< partial only in an iteration of a loop
  std::vector<int8_t> order;              ///< storage order: indices of dims, outermost first
  std::shared_ptr<run::Storage> storage;  ///< null if the runtime does not count it: no plan then overwrites it
  std::vector<void*> blocks;              ///< for each processor that this rank hosts, in order
};

/// Returns the memory of the whole tensor, row-major in the order of its dims, if a block of this rank is the whole
/// tensor; else null.
const void* whole_block(const Tensor& tensor);

/// A whole tensor in host memory, row-major in the order of its dims.
struct HostTensor {
  TensorType type;
  std::vector<std::byte> bytes;
  double number(int64_t index) const;  ///< converts any element type to double
};

/// A whole tensor in memory that the caller holds.
struct HostView {
  TensorType type;
  std::span<const std::byte> bytes;
  HostView(TensorType of, std::span<const std::byte> held) : type(std::move(of)), bytes(held) {}
  HostView(const HostTensor& tensor)
      : type(tensor.type), bytes(tensor.bytes) {}  // NOLINT: converts wherever a view is expected
};

/// Makes a tensor without dims from a number.
HostTensor host_number(ElementType element, double number);
/// Returns the element at `at` as a double.
double number_at(ElementType element, const void* at);
/// Writes `number` as an element at `at`.
void store_number(ElementType element, double number, void* at);
/// Returns the storage order 0, 1, … of `dims` dims.
std::vector<int8_t> as_written(size_t dims);

}  // namespace mtf::plan
