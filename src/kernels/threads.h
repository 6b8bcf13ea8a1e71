// A small pool of threads, among which kernels divide their work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace mtf::kernels {

/// A persistent pool: the calling thread and size-1 workers, which spin briefly before they sleep. One caller at a
/// time: a nested or concurrent parallel_for runs inline.
class Threads {
 public:
  /// `size` ≥ 1. With 1 there is no other thread, and everything runs inline.
  explicit Threads(int size = 1);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int size() const;

  /// Calls `body(begin, end)` for pieces that together cover [0, n), and returns when all are done. Each piece has at
  /// least `grain` elements, except the last. The pieces depend on n, grain and size. Rethrows the first exception of a
  /// piece.
  void parallel_for(std::int64_t n, std::int64_t grain,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& body);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace mtf::kernels
