#pragma once
// Restores state at the end of a block, however the block is left.
#include <utility>
#include <vector>

namespace mtf {

/// Restores the value of a variable.
template <typename T>
class [[nodiscard]] Restore {
 public:
  explicit Restore(T& variable) : variable_(variable), before_(variable) {}
  /// Sets the variable to `now` until then.
  Restore(T& variable, T now) : variable_(variable), before_(std::exchange(variable, std::move(now))) {}
  ~Restore() { variable_ = std::move(before_); }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  T& variable_;
  T before_;
};

/// Removes the last element of a list.
template <typename T>
class [[nodiscard]] PopLast {
 public:
  explicit PopLast(std::vector<T>& list) : list_(list) {}
  ~PopLast() { list_.pop_back(); }
  PopLast(const PopLast&) = delete;
  PopLast& operator=(const PopLast&) = delete;

 private:
  std::vector<T>& list_;
};

}  // namespace mtf
