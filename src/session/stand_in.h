#pragma once
// An evaluator that continues from the state of a session and leaves no trace. It answers questions about the session.
//
// It sees the session's names, mesh and layout. When it ends, it undoes its bindings, assignments and `use`. Until then
// the session does nothing. Each question has a stand-in of its own, so any number of questions can be asked, under any
// assumptions. The time of an answer depends on the present values, not on how many iterations have computed them.
#include <memory>
#include <optional>
#include <ostream>

#include "eval/evaluator.h"
#include "plan/execution.h"
#include "plan/runtime.h"
#include "session/copied_values.h"
#include "session/planned.h"

namespace mtf::session {

class StandIn {
 public:
  /// Checks: computes nothing, and has no numbers. `of` must outlive it; `settings` are the settings of its session.
  StandIn(eval::Evaluator& of, const eval::Settings& settings);
  /// Plans a program, with copies of the session's values. Under an assumption, or with a record in `options`, the
  /// copies get the assumed layouts. Throws a UserError if the assumption does not fit the values that the program can
  /// read.
  StandIn(eval::Evaluator& of, const eval::Settings& settings, const Assumption& assumption,
          plan::ExecutionOptions options, const ast::Program* program);
  ~StandIn();
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  eval::Evaluator& evaluator() { return evaluator_; }
  plan::Execution& execution() { return *execution_; }

 private:
  std::ostream nowhere_{nullptr};
  std::unique_ptr<plan::Runtime> runtime_;
  std::optional<plan::Execution> execution_;
  eval::Evaluator evaluator_;
  eval::UndoLog undo_;
  const Restore<eval::UndoLog*> undoing_ = evaluator_.undo.into(undo_);
  std::optional<CopiedValues> copied_;
};

}  // namespace mtf::session
