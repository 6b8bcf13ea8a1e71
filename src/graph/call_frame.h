#pragma once
// Through which calls of a program an operation was added, for whoever shows costs along the program's structure.
#include <memory>
#include <string>

#include "support/source.h"

namespace mtf {

struct CallFrame;
using CallFrameRef = std::shared_ptr<const CallFrame>;

/// A call that was under way; or, in a backward pass, the operation whose gradient was being taken.
struct CallFrame {
  CallFrameRef caller;  ///< null: the script itself
  Span span;            ///< the call; the operation
  std::string callee;   ///< what was called: a function's name, or a model's and the path of its instance, `Layer blocks[1]`
  bool backward = false;
};

}  // namespace mtf
