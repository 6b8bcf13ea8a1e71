#pragma once
// A request to end the current run.
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "support/diagnostics.h"

namespace mtf {

/// Copies share the request, so that cooperating parts see it. A signal handler or another thread may make it.
class Interrupt {
 public:
  void ask() { state_->polls_left.store(0); }
  /// Asks when poll() is called for this time, counted from 1.
  void ask_at_poll(std::int64_t number) { state_->polls_left.store(number); }
  void forget() { state_->polls_left.store(kNever); }
  bool is_wanted() const { return state_->polls_left.load(std::memory_order_relaxed) == 0; }
  /// Fails (interrupted) at `span` if the request was made. Called at each statement, loop iteration and cut.
  void poll(Span span) const {
    const std::int64_t left = state_->polls_left.load(std::memory_order_relaxed);
    if (left == kNever) return;
    if (left > 0) state_->polls_left.store(left - 1);
    if (left <= 1 && !state_->where_ranks_meet) fail(Kind::interrupted, span);
  }
  bool is_same(const Interrupt& other) const { return state_ == other.state_; }
  /// For several ranks that work together, so that none ends alone: poll() then does nothing. The ranks agree where
  /// they meet to compute.
  void only_where_ranks_meet() { state_->where_ranks_meet = true; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  struct State {
    std::atomic<std::int64_t> polls_left = kNever;  ///< before it is asked; 0: it was
    bool where_ranks_meet = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// While it exists, check_interrupt() polls `interrupt` on this thread, and what HeedsInterrupts around it heed.
class HeedsInterrupt {
 public:
  /// `interrupt` must outlive it. Its errors are at `span`.
  HeedsInterrupt(const Interrupt& interrupt, Span span)
      : interrupt_(&interrupt),
        span_(span),
        other_(outer_ && outer_->interrupt_ && outer_->interrupt_->is_same(interrupt) ? outer_->other_ : outer_) {
    innermost = this;
  }
  /// While it exists, check_interrupt() does nothing.
  HeedsInterrupt() { innermost = this; }
  ~HeedsInterrupt() { innermost = outer_; }
  /// Its errors are at `span` from here on.
  void at(Span span) { span_ = span; }
  HeedsInterrupt(const HeedsInterrupt&) = delete;
  HeedsInterrupt& operator=(const HeedsInterrupt&) = delete;

 private:
  friend void check_interrupt();
  inline static constinit thread_local const HeedsInterrupt* innermost = nullptr;

  const Interrupt* const interrupt_ = nullptr;
  Span span_;
  const HeedsInterrupt* const outer_ = innermost;
  const HeedsInterrupt* const other_ = nullptr;  ///< the next one outside that heeds another interrupt
};

/// Fails (interrupted) if an interrupt that this thread heeds was requested. Loops over a program call it in each
/// iteration. They change only objects that end with the error, so an interrupted answer leaves nothing behind.
inline void check_interrupt() {
  for (const HeedsInterrupt* each = HeedsInterrupt::innermost; each && each->interrupt_; each = each->other_)
    each->interrupt_->poll(each->span_);
}

}  // namespace mtf
