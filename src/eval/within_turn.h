#pragma once
// A part of the graph that is added once and runs later: a turn of a loop over a dim, a rule for a gradient.
#include <functional>
#include <memory>

#include "eval/cuts.h"
#include "eval/host_library.h"
#include "ops/builder.h"
#include "support/restore.h"

namespace mtf::eval {

/// As long as it lives, what is added to the graph belongs to a turn: nobody counts, records or computes it.
class WithinTurn {
 public:
  WithinTurn(Caller& caller, Turn& turn)
      : builder_(caller.parts.builder),
        table_(builder_.table, nullptr),
        record_(builder_.record, nullptr),
        on_add_(builder_.on_add, nullptr),
        turn_(caller.parts.cuts.within(turn)),
        begun_(builder_.context.random_calls) {}
  /// Random calls so far.
  int64_t calls() const { return static_cast<int64_t>(builder_.context.random_calls - begun_); }

 private:
  ops::Builder& builder_;
  Restore<std::shared_ptr<graph::ValueTable>> table_;
  Restore<std::shared_ptr<graph::LayoutRecord>> record_;
  Restore<std::function<void(graph::Node&)>> on_add_;
  Restore<Turn*> turn_;
  const double begun_;
};

}  // namespace mtf::eval
