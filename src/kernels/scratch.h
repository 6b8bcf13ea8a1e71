// Memory that a kernel needs while it runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "support/integers.h"

namespace mtf::kernels {

/// Memory that begins at a multiple of 64 bytes and grows as it is asked; what was in it is then lost. As a thread's
/// own (thread_local) it is kept from run to run.
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::int64_t bytes) { at_least(bytes); }

  /// Never null.
  void* at_least(std::int64_t bytes) {
    bytes = std::max<std::int64_t>(bytes, 1);
    if (bytes > size_) {
      data_.reset();
      size_ = 0;
      data_.reset(new (std::align_val_t(64)) std::byte[static_cast<std::size_t>(bytes)]);
      size_ = bytes;
    }
    return data_.get();
  }
  /// Room for `count` elements, at least. Never null.
  template <class T>
  T* room(std::int64_t count) {
    return static_cast<T*>(at_least(count * static_cast<std::int64_t>(sizeof(T))));
  }
  void* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::int64_t size_ = 0;
};

/// Scratch that is given away piece by piece.
class Pieces {
 public:
  void reserve(std::int64_t bytes) { next_ = static_cast<char*>(memory_.at_least(bytes)); }
  char* take(std::int64_t bytes) { return std::exchange(next_, next_ + round_up(bytes, 64)); }

 private:
  Scratch memory_;
  char* next_ = nullptr;
};

}  // namespace mtf::kernels
