#pragma once
// What a session holds, as it would lie under another mesh or layout: for a dry session that stands in for it.
//
//     the session                      the dry session that stands in for it
//     h ──► relu ──► w·x ──► x, w      h' ──► relu ──► w'·x' ──► x', w'        laid out again (graph/relayout.h)
//
// Every value that the names of the session lead to is copied, with the operations that are kept for its gradients. Of
// what has given up its operands there is a copy that lies as it lies now, and then what says where it would lie: `@`,
// the rules, what it follows. So what is planned depends on what is there, not on how it came about. As long as a
// LaidAnew lives, the names lead to the copies; a StandIn has one for the time of one question.
#include <cstddef>
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {
class Evaluator;
}

namespace mtf::session {

class LaidAnew {
 public:
  /// `evaluator` stands in for another, and plans. Its settings say what mesh and layout are assumed.
  /// Throws a UserError where a layout does not fit a value; the names then lead where they did.
  explicit LaidAnew(eval::Evaluator& evaluator);
  ~LaidAnew();
  LaidAnew(const LaidAnew&) = delete;
  LaidAnew& operator=(const LaidAnew&) = delete;

 private:
  /// Where a value is held: an item of a list, a binding of a scope, or a variable.
  struct Holder {
    eval::ListPtr list;
    eval::ScopePtr scope;
    eval::PlacePtr place;
    size_t index = 0;
    graph::Handle other = {};        ///< what it does not hold: the copy, then the original
    graph::GivenLayout stored = {};  ///< the same of a variable
    graph::Handle& handle() const;
  };
  class Walk;
  void exchange();

  std::vector<Holder> holders_;
};

}  // namespace mtf::session
