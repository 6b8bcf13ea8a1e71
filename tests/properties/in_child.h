#pragma once
// Work in a process of its own, so that a crash or an endless loop there is a result like another.
#include <functional>
#include <string>

namespace mtf::properties {

struct ChildResult {
  std::string said;   ///< all that the child has said, also before it crashed
  std::string ended;  ///< empty if it ended well, else `crash (signal 11)`, `hangs`, `exit status 1`
};

/// Runs `work` in a fork of this process; it hands what is to come back to its argument. A child that computes for
/// `seconds` without saying anything is ended.
ChildResult in_child(const std::function<void(const std::function<void(const std::string&)>& say)>& work,
                     unsigned seconds);

}  // namespace mtf::properties
