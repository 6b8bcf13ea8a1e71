#pragma once
// Memory that the ranks of one node share. Each rank has a part, which the others read.
//
// Ranks reduce through it (run/shared_reduce.h). Messages would copy the data in and out again, piece by piece. If
// ranks may not open each other's files, there is no shared memory, and ranks use messages.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/shared_file.h"
#include "run/transport.h"

namespace mtf::run {

class SharedMemory {
 public:
  /// Creates the notices; all ranks call it together. There is no shared memory if a rank is alone on its node, or must
  /// not share memory.
  explicit SharedMemory(Transport& transport);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// True if the ranks of this node share memory.
  bool is_there() const { return !notices_.empty(); }
  /// True if the ranks of each node share memory, and there are several nodes. The same on all ranks.
  bool is_on_all_nodes() const { return is_on_all_nodes_; }
  const Transport& transport() const { return transport_; }
  /// True if this rank shares memory with `rank`, or is `rank`.
  bool reaches(int rank) const { return is_there() && transport_.place_here(rank) >= 0; }

  /// Makes every part at least as large as the largest request of a rank of the node. The old content is lost. All
  /// ranks call it together. Returns false if there is not enough memory; with is_on_all_nodes() also on other nodes.
  bool reserve(int64_t bytes);
  int64_t bytes() const { return bytes_; }
  /// The part of a rank that this rank reaches; null while parts have no bytes.
  std::byte* part(int rank) const {
    return parts_.empty() ? nullptr : parts_[static_cast<size_t>(transport_.place_here(rank))].data();
  }

  /// Returns the same memory in this rank's part; null if it does not lie there.
  std::byte* in_own_part(const std::byte* memory) const;

  /// The progress of a rank in a collective. `turn[stage]` identifies the latest piece for which the rank
  /// has reached the stage. Numbers of collectives that run at once differ by less than kNotices.
  enum Stage : int {
    kBegun,  ///< its operand is in its part, from `offset` on
    kAdded,  ///< its sums are there too
    kEnded,  ///< it needs nothing more from other ranks
    kStages
  };
  struct alignas(64) Notice {
    std::atomic<int64_t> turn[kStages];
    int64_t offset;
  };
  static constexpr int64_t kNotices = 256;
  Notice& notice(int rank, int64_t collective) const;

 private:
  bool reserve_here(int64_t bytes);

  Transport& transport_;
  std::vector<SharedFile> notices_;  // for each rank of this node
  std::vector<SharedFile> parts_;
  int64_t bytes_ = 0;
  bool is_on_all_nodes_ = false;
};

/// Copies to memory that other ranks will read and have read before. The caches of other cores hold its lines. The
/// function prefetches several lines at a time, because fetching them one after another takes longer than the copy.
void copy_for_others(std::byte* to, const std::byte* from, size_t bytes);

}  // namespace mtf::run
