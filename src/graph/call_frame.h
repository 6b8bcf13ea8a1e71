#pragma once
// Through which calls of a program an operation was added, for whoever shows costs along the program's structure.
#include <memory>
#include <string>

#include "support/source.h"

namespace mtf::graph {

struct CallFrame;
using CallFrameRef = std::shared_ptr<const CallFrame>;

/// A call that was under way; or, in a backward pass, the operation whose gradient was being taken.
struct CallFrame {
  CallFrameRef caller;  ///< null: the script itself
  Span span;            ///< the call; the operation
  std::string callee;   ///< what was called: a function's name, or a model's, with its function's where that is not
                        ///< `call`: `Layer`
  std::string path;     ///< of the model's instance: `blocks[1]`; nothing if it has none
  bool backward = false;
};

}  // namespace mtf::graph
