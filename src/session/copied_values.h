#pragma once
// Copies of what a session holds, for a dry session that stands in for it: planning changes none of its values.
//
//     the session                      the dry session that stands in for it
//     h ──► relu ──► w·x ──► x, w      h' ──► relu ──► w'·x' ──► x', w'
//
// Every value that the names of the session lead to is copied, with the operations that are kept for its gradients. As
// long as CopiedValues live, the names lead to the copies; a StandIn has them for the time of one question.
//
// As they are, copies have what has been computed in common with their originals. Laid out anew, as they would be under
// another mesh or layout, they have nothing in common (graph/relayout.h): of what has given up its operands there is a
// copy that lies as it lies now, and then what says where it would lie: `@`, the rules, what it follows. So what is
// planned depends on what is there, not on how it came about.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {
class Evaluator;
}

namespace mtf::session {

class CopiedValues {
 public:
  enum class How : uint8_t { kAsTheyAre, kLaidOutAnew };
  /// `evaluator` stands in for another, and plans. Where they are laid out anew, its settings say what mesh and layout
  /// are assumed. Throws a UserError where a layout does not fit a value; the names then lead where they did.
  CopiedValues(eval::Evaluator& evaluator, How how);
  ~CopiedValues();
  CopiedValues(const CopiedValues&) = delete;
  CopiedValues& operator=(const CopiedValues&) = delete;

 private:
  /// Where a value is held: an item of a list, a binding of a scope, or a variable.
  struct Holder {
    eval::ListPtr list;
    eval::ScopePtr scope;
    eval::PlacePtr place;
    size_t index = 0;
    eval::HostValue other = {};      ///< what it does not hold: the copy, then the original
    graph::GivenLayout stored = {};  ///< the same of a variable
    eval::HostValue& value() const;  ///< not of a variable
    const graph::Handle& handle() const;
  };
  class Walk;
  void exchange();

  std::vector<Holder> holders_;
};

}  // namespace mtf::session
