#pragma once
// Counted, aligned memory.
//
// A MemoryPool belongs to an engine. It counts what is live on this rank and what would be live if the largest
// processor were alone (`alone`: the figure that counters show), and keeps what is given back for the next request of
// the same size: in a training loop every turn asks for the sizes of the last one, and fresh pages cost more than most
// kernels. A Storage is one allocation; it goes back to its pool with its last owner, and keeps the pool alive.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "exec/transport.h"
#include "support/source.h"
#include "types/saturating.h"

namespace mtf {

class MemoryPool;

class Storage {
 public:
  /// `bytes` 0: only counted, there is no memory (a dry engine's tensors).
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
  /// No memory, only counted: what a dry engine pretends to hold.
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

/// Bytes that this machine can still give: the least of what it has (MemAvailable) and of what the control groups of
/// this process have left. The largest number if it does not say.
int64_t machine_memory();
/// Bytes that this process can still have under its own limit (`ulimit -v`).
int64_t process_memory();
/// The lesser of both.
int64_t available_memory();

/// Bytes that control groups have left: of the groups that `memberships` (/proc/self/cgroup) names and those above them,
/// in the file systems of version 2 and 1 that `root` (/sys/fs/cgroup) holds. What they keep of files and can drop
/// counts as left.
int64_t control_group_memory(const std::string& root, const std::string& memberships);

/// Fails (out_of_memory) at `span` unless all ranks of this machine together can have what each needs more, this one
/// `bytes`. All ranks call it, and none that passes it takes memory before the others have looked. Less than
/// kUncheckedBytes in all are not looked at: check_growth() adds such up.
void check_memory(Transport& transport, int64_t bytes, Span span);

/// The same for `bytes` that `pool` is about to give, counted as `alone_bytes` for one processor alone, where it has grown
/// by kUncheckedBytes or more since it was last looked at, each rank hosting up to `hosted` processors. All ranks decide
/// alike: what one processor alone has is the same on all.
void check_growth(Transport& transport, MemoryPool& pool, int64_t bytes, int64_t alone_bytes, int64_t hosted, Span span);

inline constexpr int64_t kUncheckedBytes = 64 << 20;

}  // namespace mtf
