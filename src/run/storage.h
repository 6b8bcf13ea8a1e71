#pragma once
// Counted, aligned memory.
//
// A MemoryPool belongs to a runtime. It counts what is live on this rank and what would be live if the largest
// processor were alone (`alone`: the figure that counters show), and keeps what is given back for the next request of
// the same size: in a training loop every turn asks for the sizes of the last one, and fresh pages cost more than most
// kernels. A Storage is one allocation; it goes back to its pool with its last owner, and keeps the pool alive.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "types/saturating.h"

namespace mtf::run {

class MemoryPool;

class Storage {
 public:
  /// `bytes` 0: only counted, there is no memory (a dry runtime's tensors).
  Storage(std::shared_ptr<MemoryPool> pool, int64_t bytes, int64_t alone_bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<MemoryPool> pool_;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  int64_t alone_bytes_ = 0;
};

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  MemoryPool();
  ~MemoryPool();

  /// At least `bytes`, 64-byte aligned, padded to a multiple of 64, not initialised; counted as `alone_bytes` for one
  /// processor alone. Throws std::bad_alloc.
  std::shared_ptr<Storage> allocate(int64_t bytes, int64_t alone_bytes);
  /// No memory, only counted: what a dry runtime pretends to hold.
  std::shared_ptr<Storage> pretend(int64_t alone_bytes);

  int64_t live() const { return live_; }  ///< bytes in use on this rank
  /// Of one processor alone; kMost (types/saturating.h) while it holds what could not be added up.
  int64_t alone_live() const { return immense_ > 0 ? kMost : alone_live_; }
  /// The most that was live since restart_peak, for one processor alone, with what a run adds for its own time.
  int64_t alone_peak() const { return alone_peak_; }
  void note_alone(int64_t bytes_beside_live) {
    alone_peak_ = std::max(alone_peak_, saturating_add(alone_live(), bytes_beside_live));
  }
  void restart_peak() { alone_peak_ = alone_live(); }
  /// The most that one processor alone had when check_growth() last looked.
  int64_t alone_checked() const { return alone_checked_; }
  void note_checked(int64_t alone_bytes) { alone_checked_ = alone_bytes; }

  /// Gives everything that is kept for later back to the system.
  void trim();

 private:
  friend class Storage;
  struct Kept;
  /// Counts a storage in (1) or out (-1).
  void count(int sign, int64_t bytes, int64_t alone_bytes);
  std::unique_ptr<Kept> kept_;
  int64_t live_ = 0;
  int64_t alone_live_ = 0;
  int64_t immense_ = 0;  // storages that alone_live_ leaves out
  int64_t alone_peak_ = 0;
  int64_t alone_checked_ = 0;
};

}  // namespace mtf::run
