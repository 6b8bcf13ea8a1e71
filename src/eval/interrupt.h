#pragma once
// Whether somebody wants the evaluation to end.
#include <atomic>
#include <memory>

#include "support/diagnostics.h"

namespace mtf {

/// A copy is the same wish: evaluators that work for one another share it. A signal handler or another thread may ask.
class Interrupt {
 public:
  void ask() { wanted_->store(true); }
  void forget() { wanted_->store(false); }
  /// Fails (interrupted) at `span` if it is wanted. Called at each statement, turn and cut.
  void poll(Span span) const {
    if (wanted_->load(std::memory_order_relaxed)) fail(Kind::interrupted, span);
  }

 private:
  std::shared_ptr<std::atomic<bool>> wanted_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace mtf
