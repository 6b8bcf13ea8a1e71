#pragma once
// Letting go of values that hold one another, as deep as a program likes.
//
// A list holds lists, an instance its scope and that the instances below it. Destructors that follow such a chain one
// inside the other run out of stack; so each hands over what it alone holds, and the outermost lets go of that one after
// another.
#include <memory>
#include <vector>

#include "eval/host_value.h"

namespace mtf {

class LetGo {
 public:
  /// Takes a value that can hold others.
  void take(HostValue& value);
  void take(ScopePtr& scope) { take_alone(scope); }
  /// Lets go of all that was taken, or hands it to the LetGo of this thread that is at it.
  ~LetGo();

 private:
  template <typename T>
  void take_alone(std::shared_ptr<T>& pointer) {
    if (pointer.use_count() == 1) taken_.push_back(std::move(pointer));
    else pointer.reset();  // one scope may hold a value by two names: the second is alone then
  }

  std::vector<std::shared_ptr<void>> taken_;
};

}  // namespace mtf
