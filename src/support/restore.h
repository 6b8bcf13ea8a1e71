#pragma once
// What must be as it was before, however a block is left.
#include <utility>
#include <vector>

namespace mtf {

/// Puts a variable back as it was.
template <typename T>
class [[nodiscard]] Restore {
 public:
  explicit Restore(T& variable) : variable_(variable), before_(variable) {}
  /// Meanwhile it is `now`.
  Restore(T& variable, T now) : variable_(variable), before_(std::exchange(variable, std::move(now))) {}
  ~Restore() { variable_ = std::move(before_); }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  T& variable_;
  T before_;
};

/// Takes the last element of a list off.
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
