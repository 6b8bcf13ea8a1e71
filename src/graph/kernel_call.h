#pragma once
// The arguments of a kernel, and the exception that it throws.
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "graph/operation.h"
#include "kernels/block.h"
#include "kernels/threads.h"
#include "support/diagnostics.h"

namespace mtf::graph {

/// A call of a kernel on one processor's blocks. Their dims are those of the operation's types, in the same order.
struct KernelCall {
  const Operation& operation;
  std::span<const kernels::Block> operands;
  std::span<const kernels::Block> results;
  std::span<const double> inputs;
  kernels::Threads& threads;
  int64_t flops = 0;                    ///< the kernel adds its flops, from the sizes it got
  std::function<void()> progress = {};  ///< if set, a long kernel calls it on any thread, each half millisecond
};

/// The exception of a kernel for a wrong element (an index out of range, a sum that does not fit). The message is one
/// sentence with expected and found.
struct ElementError {
  std::string message;
  Kind kind = Kind::index_out_of_range;
};

}  // namespace mtf::graph
