#pragma once
// A request to end the current run.
#include <atomic>
#include <memory>

#include "support/diagnostics.h"

namespace mtf {

/// Copies share the request, so that cooperating parts see it. A signal handler or another thread may make it.
class Interrupt {
 public:
  void ask() { state_->wanted.store(true); }
  void forget() { state_->wanted.store(false); }
  bool is_wanted() const { return state_->wanted.load(std::memory_order_relaxed); }
  /// Fails (interrupted) at `span` if the request was made. Called at each statement, loop iteration and cut.
  void poll(Span span) const {
    if (is_wanted() && !state_->where_ranks_meet) fail(Kind::interrupted, span);
  }
  /// For several ranks that work together, so that none ends alone: poll() then does nothing. The ranks agree where
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
