#pragma once
// In-memory files, one of each rank of a node, which all ranks of the node map.
//
// A file has no name. Other ranks open it through the descriptor number of its process. A window of MPI would be a file
// in the folder for shared memory, which has only 64 MiB in containers. If ranks may not open each other's files, there
// is no shared memory.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mtf::run {

class Transport;

class SharedFile {
 public:
  SharedFile() = default;
  /// Maps an open file; data() is null if mapping fails.
  SharedFile(int file, int64_t bytes);
  ~SharedFile();
  SharedFile(SharedFile&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  SharedFile& operator=(SharedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

/// Returns files of `bytes` zeros, one of each rank of this node, in the order of Transport::gather_here(). Returns
/// none if any rank cannot map all of them. All ranks of the node call it together.
std::vector<SharedFile> share_files(Transport& transport, int64_t bytes);

}  // namespace mtf::run
