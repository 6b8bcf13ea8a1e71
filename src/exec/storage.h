#pragma once
// Counted, aligned memory.
//
// A MemoryPool belongs to an engine. It counts what is live on this rank and what would be live if the largest
// processor were alone (`alone`: the figure that counters show), and keeps what is given back for the next request of
// the same size: in a training loop every turn asks for the sizes of the last one, and fresh pages cost more than most
// kernels. A Storage is one allocation; it goes back to its pool with its last owner, and keeps the pool alive.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "exec/transport.h"
#include "support/source.h"

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

  int64_t live() const { return live_; }          ///< bytes in use on this rank
  int64_t alone_live() const { return alone_live_; }
  /// The most that was live since restart_peak, for one processor alone, with what a run adds for its own time.
  int64_t alone_peak() const { return alone_peak_; }
  void note_alone(int64_t bytes_beside_live) {
    if (alone_live_ + bytes_beside_live > alone_peak_) alone_peak_ = alone_live_ + bytes_beside_live;
  }
  void restart_peak() { alone_peak_ = alone_live_; }

  /// Gives everything that is kept for later back to the system.
  void trim();

 private:
  friend class Storage;
  struct Kept;
  std::unique_ptr<Kept> kept_;
  int64_t live_ = 0;
  int64_t alone_live_ = 0;
  int64_t alone_peak_ = 0;
};

/// Bytes that this machine can still give (MemAvailable), or nothing if it does not say.
int64_t available_memory();

/// Fails (out_of_memory) at `span` unless all ranks of this machine together can have what each needs more, this one
/// `bytes`. All ranks call it, and none that passes it takes memory before the others have looked.
void check_memory(Transport& transport, int64_t bytes, Span span);

}  // namespace mtf
