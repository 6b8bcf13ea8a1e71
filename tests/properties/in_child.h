#pragma once
// Work in a process of its own, so that a crash or an endless loop is an ordinary result.
#include <functional>
#include <string>

namespace mtf::properties {

struct ChildResult {
  std::string said;   ///< the messages of the child, also before a crash
  std::string ended;  ///< empty after success, else `crash (signal 11)`, `hangs`, `exit status 1`
};

/// Runs `work` in a fork of this process. The work calls its argument to send messages. A child that computes for
/// `seconds` without a message is ended.
ChildResult in_child(const std::function<void(const std::function<void(const std::string&)>& say)>& work,
                     unsigned seconds);

}  // namespace mtf::properties
