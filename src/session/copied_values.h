#pragma once
// Copies of a session's values for a dry session that stands in for it, so that planning does not change the values.
//
//     the session                      the dry session that stands in for it
//     h ──► relu ──► w·x ──► x, w      h' ──► relu ──► w'·x' ──► x', w'
//
// Copies every value that the names of the session lead to, with the operations that are kept for its gradients. As
// long as CopiedValues live, the names lead to the copies. A StandIn has them for the time of one question.
//
// A plain copy shares computed results with its original, so that the peak of a plan includes their memory. A copy for
// another mesh or layout shares nothing (graph/relayout.h). A released node is then copied with its present layout,
// followed by the resharding that `@`, the rules or `like` ask for. So a plan depends only on the present values, not
// on how they were computed.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf::eval {
class Evaluator;
}

namespace mtf::session {

class CopiedValues {
 public:
  enum class How : uint8_t { kAsTheyAre, kLaidOutAnew };
  /// `evaluator` stands in for another evaluator, and plans. For copies with another layout, its settings give the
  /// assumed mesh and layout. Throws a UserError if a layout does not fit a value; the names then lead to the originals
  /// again. A value that `reader` cannot read is left out if a layout does not fit it; null reads all.
  CopiedValues(eval::Evaluator& evaluator, How how, const ast::Block* reader);
  ~CopiedValues();
  CopiedValues(const CopiedValues&) = delete;
  CopiedValues& operator=(const CopiedValues&) = delete;

 private:
  /// A location that holds a value: an item of a list, a binding of a scope, or a variable.
  struct Holder {
    eval::ListPtr list;
    eval::ScopePtr scope;
    eval::VariablePtr variable;
    size_t index = 0;
    eval::HostValue other = {};      ///< the value that it does not hold now: first the copy, then the original
    graph::GivenLayout stored = {};  ///< the same for the layout of a variable
    eval::HostValue& value() const;  ///< not for variables
    const graph::Handle& handle() const;
  };
  class Walk;
  void exchange();

  std::vector<Holder> holders_;
};

}  // namespace mtf::session
