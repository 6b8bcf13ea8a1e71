#pragma once
// Whether somebody wants what is under way to end.
#include <atomic>
#include <memory>

#include "support/diagnostics.h"

namespace mtf {

/// A copy is the same wish: parts that work for one another share it. A signal handler or another thread may ask.
class Interrupt {
 public:
  void ask() { state_->wanted.store(true); }
  void forget() { state_->wanted.store(false); }
  bool is_wanted() const { return state_->wanted.load(std::memory_order_relaxed); }
  /// Fails (interrupted) at `span` if it is wanted. Called at each statement, turn and cut.
  void poll(Span span) const {
    if (is_wanted() && !state_->where_ranks_meet) fail(Kind::interrupted, span);
  }
  /// Several ranks work together: none may end where the others do not, so that poll() does nothing. They agree where
  /// they meet to compute.
  void only_where_ranks_meet() { state_->where_ranks_meet = true; }

 private:
  struct State {
    std::atomic<bool> wanted = false;
    bool where_ranks_meet = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace mtf
