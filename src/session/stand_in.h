#pragma once
// An evaluator that goes on where a session is, of which nothing stays: what is asked of a session is answered by it.
//
// It sees the names of the session, and what is in force there. What it binds, assigns and brings into force is taken
// back when it ends; until then the session does nothing. So each question has one of its own, and how many are asked
// in turn, under whatever assumptions, does not matter.
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
  /// Checks: it computes nothing, and knows no numbers. `of` lives longer; `settings` are its session's.
  StandIn(eval::Evaluator& of, const eval::Settings& settings);
  /// Plans, with copies of the session's values. Under an assumption, or if what is planned is to be recorded, they are
  /// laid out as they would be; throws a UserError where the assumption does not fit them.
  StandIn(eval::Evaluator& of, const eval::Settings& settings, const Assumption& assumption,
          std::shared_ptr<plan::ProgramRecord> record);
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
