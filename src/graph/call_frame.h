#pragma once
// The chain of calls through which an operation was added, for reports of costs along the program's structure.
#include <memory>
#include <string>

#include "support/source.h"

namespace mtf::graph {

struct CallFrame;
using CallFrameRef = std::shared_ptr<const CallFrame>;

/// A call in progress. In a backward pass: the operation whose gradient is taken.
struct CallFrame {
  CallFrameRef caller;  ///< null: the script itself
  Span span;            ///< of the call, or of the operation
  std::string callee;  ///< the function or model that was called: `Layer`; for a function of a model other than `call`,
                       ///< with the function's name
  std::string path;    ///< path of the model's instance: `blocks[1]`; empty if it has none
  bool backward = false;
};

}  // namespace mtf::graph
