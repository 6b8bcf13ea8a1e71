#pragma once
// Memory that the ranks of one node share: each has a part, which the others read.
//
// Through it they reduce (run/shared_reduce.h): what messages would copy in and out again, in pieces, lies there once.
// Where ranks may not see each other's files there is none, and messages do the work.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/shared_file.h"
#include "run/transport.h"

namespace mtf::run {

class SharedMemory {
 public:
  /// None of a rank that is alone on its node, or that may not share memory. All ranks make theirs together.
  explicit SharedMemory(Transport& transport);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// The ranks of this node share memory.
  bool is_there() const { return !notices_.empty(); }
  /// This rank shares memory with that one, or is that one.
  bool reaches(int rank) const { return is_there() && transport_.place_here(rank) >= 0; }

  /// Every part has from now on as much as the largest that any rank of the node asks for, or more; what it held is
  /// gone. All ranks of the node come here together. False where there is not so much: then all is as before.
  bool reserve(int64_t bytes);
  int64_t bytes() const { return bytes_; }
  /// The part of a rank that this one reaches; null while it has no bytes.
  std::byte* part(int rank) const {
    return parts_.empty() ? nullptr : parts_[static_cast<size_t>(transport_.place_here(rank))].data();
  }

  /// What a rank tells the others of a collective that it takes part in: the last of its turns, numbered from 1 on,
  /// that has come so far. Of collectives that are under way at once, no two are numbered kNotices or more apart.
  enum Stage : int {
    kBegun,  ///< what it gives lies in its part, from `place` on
    kAdded,  ///< what it has added up does
    kEnded,  ///< it needs nothing more of the others
    kStages
  };
  struct alignas(64) Notice {
    std::atomic<int64_t> turn[kStages];
    int64_t place;
  };
  static constexpr int64_t kNotices = 256;
  Notice& notice(int rank, int64_t collective) const;

 private:
  Transport& transport_;
  std::vector<SharedFile> notices_;  // of each rank of this node
  std::vector<SharedFile> parts_;
  int64_t bytes_ = 0;
};

}  // namespace mtf::run
