#pragma once
// Adds a part of the graph that runs later: an iteration of a loop over a dim, or a rule for a gradient.
#include <functional>
#include <memory>

#include "eval/cuts.h"
#include "eval/host_library.h"
#include "ops/builder.h"
#include "support/restore.h"

namespace mtf::eval {

/// For its lifetime, new nodes belong to a loop iteration: no value table counts them, no layout record has them, and
/// no cut computes them.
class WithinIteration {
 public:
  WithinIteration(Caller& caller, Iteration& iteration)
      : builder_(caller.parts.builder),
        table_(builder_.table, nullptr),
        record_(builder_.record, nullptr),
        on_add_(builder_.on_add, nullptr),
        iteration_(caller.parts.cuts.within(iteration)),
        begun_(builder_.context.random_calls) {}
  /// The number of random calls since the beginning of the iteration.
  int64_t calls() const { return static_cast<int64_t>(builder_.context.random_calls - begun_); }

 private:
  ops::Builder& builder_;
  Restore<std::shared_ptr<graph::ValueTable>> table_;
  Restore<std::shared_ptr<graph::LayoutRecord>> record_;
  Restore<std::function<void(graph::Node&)>> on_add_;
  Restore<Iteration*> iteration_;
  const double begun_;
};

}  // namespace mtf::eval
