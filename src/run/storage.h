#pragma once
// Counted, aligned memory.
//
// A MemoryPool belongs to a runtime. It counts two figures: the live bytes of this rank, and the live bytes of the
// largest processor, as if it were alone (`alone`, the figure of the counters). It keeps freed blocks for later
// requests of the same size. An iteration of a training loop asks for the same sizes as the one before, and fresh pages
// cost more than most kernels. A Storage is one allocation. It returns to its pool with its last owner, and keeps the
// pool alive.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "types/saturating.h"

namespace mtf::run {

class MemoryPool;

class Storage {
 public:
  /// `bytes` 0 means that the storage is only counted and has no memory (a dry runtime's tensors).
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

  /// Allocates at least `bytes`, padded and aligned to 64 bytes, not initialised. Counts `alone_bytes` for the largest
  /// processor. Throws std::bad_alloc.
  std::shared_ptr<Storage> allocate(int64_t bytes, int64_t alone_bytes);
  /// Counts a tensor of a dry runtime, without memory.
  std::shared_ptr<Storage> pretend(int64_t alone_bytes);

  int64_t live() const { return live_; }  ///< bytes in use on this rank
  /// The live bytes of the largest processor; kMost (types/saturating.h) while a storage is too large to be added up.
  int64_t alone_live() const { return immense_ > 0 ? kMost : alone_live_; }
  /// The maximum of the largest processor's bytes since restart_peak(), including the temporary memory of runs.
  int64_t alone_peak() const { return alone_peak_; }
  void note_alone(int64_t bytes_beside_live) {
    alone_peak_ = std::max(alone_peak_, saturating_add(alone_live(), bytes_beside_live));
  }
  void restart_peak() { alone_peak_ = alone_live(); }
  /// The largest processor's bytes when check_growth() last checked.
  int64_t alone_checked() const { return alone_checked_; }
  void note_checked(int64_t alone_bytes) { alone_checked_ = alone_bytes; }

  /// Returns all free blocks to the system.
  void trim();

 private:
  friend class Storage;
  struct Kept;
  /// Adds (1) or subtracts (-1) a storage.
  void count(int sign, int64_t bytes, int64_t alone_bytes);
  std::unique_ptr<Kept> kept_;
  int64_t live_ = 0;
  int64_t alone_live_ = 0;
  int64_t immense_ = 0;  // storages that are too large for alone_live_
  int64_t alone_peak_ = 0;
  int64_t alone_checked_ = 0;
};

}  // namespace mtf::run
