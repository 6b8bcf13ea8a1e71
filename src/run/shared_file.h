#pragma once
// A file in memory of each rank of a node, which all of them map.
//
// It is a file without a name, which the others open by the number of this rank's descriptor. A window of MPI would
// be a file in a folder for shared memory, of which containers have 64 MiB. Where ranks may not see each other's files
// there is none.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mtf::run {

class Transport;

class SharedFile {
 public:
  SharedFile() = default;
  /// Maps an open file; data() is null if that cannot be done.
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

/// Files of so many bytes, zeros, one of each rank of this node, in the order in which Transport::gather_here() has
/// them; none if any rank cannot have them all. All ranks of the node come here together.
std::vector<SharedFile> share_files(Transport& transport, int64_t bytes);

}  // namespace mtf::run
