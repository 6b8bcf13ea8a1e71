// Temporary memory of a kernel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "support/integers.h"

namespace mtf::kernels {

/// Memory with an alignment of 64 bytes that grows on request. Growing loses the contents. As a thread_local object it
/// is kept between runs.
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::int64_t bytes) { at_least(bytes); }

  /// Returns at least `bytes` bytes, never null.
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
  /// Returns room for at least `count` elements, never null.
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

/// Scratch memory that is handed out in pieces.
class Pieces {
 public:
  void reserve(std::int64_t bytes) { next_ = static_cast<char*>(memory_.at_least(bytes)); }
  char* take(std::int64_t bytes) { return std::exchange(next_, next_ + round_up(bytes, 64)); }

 private:
  Scratch memory_;
  char* next_ = nullptr;
};

}  // namespace mtf::kernels
