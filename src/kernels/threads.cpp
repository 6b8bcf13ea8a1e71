#include "kernels/threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "support/integers.h"
#include "support/pause.h"

namespace mtf::kernels {

struct Threads::Pool {
  explicit Pool(int size) : size(size) {
    for (int k = 1; k < size; ++k) workers.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
      round.fetch_add(1, std::memory_order_release);
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  void work() {
    std::uint64_t seen = 0;
    while (true) {
      for (int spin = 0; spin < 4000 && round.load(std::memory_order_acquire) == seen; ++spin) pause();
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return round.load(std::memory_order_acquire) != seen; });
        seen = round.load(std::memory_order_acquire);
        if (stop) return;
        if (body == nullptr) continue;
        ++active;
      }
      take_pieces();
      active.fetch_sub(1, std::memory_order_release);
    }
  }

  void take_pieces() {
    for (;;) {
      const std::int64_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) return;
      try {
        (*body)(std::min(n, piece * step), std::min(n, (piece + 1) * step));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
      done.fetch_add(1, std::memory_order_release);
    }
  }

  int size;
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<std::uint64_t> round{0};
  std::atomic<bool> busy{false};
  bool stop = false;
  const std::function<void(std::int64_t, std::int64_t)>* body = nullptr;
  std::int64_t n = 0, step = 0, pieces = 0;
  std::atomic<std::int64_t> next{0}, done{0};
  std::atomic<int> active{0};
  std::exception_ptr error;
};

Threads::Threads(int size) : pool_(std::make_unique<Pool>(std::max(1, size))) {}
Threads::~Threads() = default;
int Threads::size() const { return pool_->size; }

void Threads::parallel_for(std::int64_t n, std::int64_t grain,
                           const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (n <= 0) return;
  Pool& pool = *pool_;
  grain = std::max<std::int64_t>(1, grain);
  const std::int64_t pieces = std::min<std::int64_t>(pool.size, ceil_div(n, grain));
  bool idle = false;
  if (pieces <= 1 || !pool.busy.compare_exchange_strong(idle, true)) {
    body(0, n);
    return;
  }
  {
    const std::lock_guard lock(pool.mutex);
    pool.body = &body;
    pool.n = n;
    pool.step = ceil_div(n, pieces);
    pool.pieces = pieces;
    pool.next = 0;
    pool.done = 0;
    pool.error = nullptr;
    pool.round.fetch_add(1, std::memory_order_release);
  }
  pool.wake.notify_all();
  pool.take_pieces();
  while (pool.done.load(std::memory_order_acquire) < pieces) pause();
  std::exception_ptr error;
  {
    const std::lock_guard lock(pool.mutex);
    pool.body = nullptr;
    error = pool.error;
  }
  while (pool.active.load(std::memory_order_acquire) > 0) pause();
  pool.busy = false;
  if (error) std::rethrow_exception(error);
}

}  // namespace mtf::kernels
