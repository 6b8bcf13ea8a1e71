#pragma once
// The abstract domain: how a check and a plan evaluate a program without the values that only a run knows.
//
// A check computes nothing. A plan runs on a runtime without numbers (plan/runtime.h). Both evaluations are called
// abstract. The contents of tensors are Unknown to them (host_value.h, possible_values.h). If a condition is Unknown,
// the evaluator walks every branch, one level of uncertainty deeper. Then it joins the values that the branches leave
// in each name. In a run nothing is Unknown, and the uncertainty is 0.
//
// A check never refuses a right program: a name always stands for all values that a run may give it there.
// Random programs test this (tests/properties/checked_program.h). Three mechanisms keep the promise:
//
// - Ways: the branches of an `if` start from the same state, and their final states are joined.
// - Loops: a body is walked again until a walk leaves no new values (eval/loops.h).
// - may_not_happen(): other parts may be evaluated never or many times. Examples are the right side of `and`, an
//   element of a list of unknown length, and the statements behind a possible `return`, `break` or `continue`. If such
//   a part assigns a name that was bound outside of the part, the name keeps its old values beside the new ones.
//
// A plan guesses: it continues with one of several possible values, so that it can count the cost.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "eval/host_value.h"
#include "eval/possible_values.h"
#include "eval/scope.h"
#include "eval/undo.h"
#include "plan/execution.h"
#include "support/diagnostics.h"
#include "support/restore.h"

namespace mtf::eval {

/// How a statement or a block ends. kElsewhere: every branch behind an unknown condition has ended in its own manner.
/// Each end has been noted where it happened, and nothing continues from here.
enum class Flow : uint8_t { kNext, kReturn, kBreak, kContinue, kElsewhere };

/// An assignment that a run may not execute. The name may belong to an enclosing block, to an instance, or to the scope
/// around a called function.
struct AssignedName {
  ScopePtr scope;
  size_t index;      ///< of its binding
  HostValue before;  ///< the value that the assignment replaced
  HostValue& value() const { return scope->bindings[index].value; }
};
using AssignedNames = std::vector<AssignedName>;

class AbstractDomain {
  /// The calls and loops under way that may have ended already.
  struct Early {
    int ends = 0;        ///< how many
    int weak_below = 0;  ///< names that are bound at lower levels keep their old values beside new ones
  };

 public:
  /// `execution`: null to check.
  explicit AbstractDomain(const plan::Execution* execution);

  bool is_check() const { return mode_ == Mode::kCheck; }
  bool is_plan() const { return mode_ == Mode::kPlan; }
  /// A check or a plan.
  bool is_abstract() const { return mode_ != Mode::kRun; }

  /// The number of unknown conditions, and of loops that are walked once, around the current position.
  int uncertainty() const { return uncertainty_ + early_.ends; }
  /// Raises the uncertainty by one while the returned object lives. Only a condition, or a number of iterations, that
  /// is unknown calls for it, and in a run none is.
  class Uncertain;
  Uncertain uncertain();
  /// Raises the uncertainty by one, until the innermost object that saved it ends (a Part, for instance).
  void becomes_uncertain() { ++uncertainty_; }
  /// Restores the present uncertainty when the returned object ends.
  Restore<int> as_it_is() { return Restore<int>(uncertainty_); }

  /// Notes the level of uncertainty at which an error leaves the enclosing block.
  class NotesErrors {
   public:
    explicit NotesErrors(AbstractDomain& domain)
        : domain_(domain), exceptions_(domain.is_check() ? std::uncaught_exceptions() : -1) {}
    ~NotesErrors() {
      if (exceptions_ >= 0 && std::uncaught_exceptions() > exceptions_)
        domain_.error_came_from_ = std::max(domain_.error_came_from_, domain_.uncertainty());
    }
    NotesErrors(const NotesErrors&) = delete;
    NotesErrors& operator=(const NotesErrors&) = delete;

   private:
    AbstractDomain& domain_;
    const int exceptions_;
  };
  /// Returns the level of uncertainty from which the error came that has just been caught.
  int caught_error_from() { return std::max(uncertainty(), std::exchange(error_came_from_, 0)); }

  class [[nodiscard]] Uncertain {
   public:
    explicit Uncertain(AbstractDomain& domain)
        : uncertainty_(domain.uncertainty_, domain.uncertainty_ + 1), errors_(domain) {}

   private:
    Restore<int> uncertainty_;
    NotesErrors errors_;
  };
  /// Saves the uncertainty and the possible early ends. Restores both at its end.
  class [[nodiscard]] Part {
   public:
    explicit Part(AbstractDomain& domain) : uncertainty_(domain.uncertainty_), early_(domain.early_), errors_(domain) {}

   private:
    Restore<int> uncertainty_;
    Restore<Early> early_;
    NotesErrors errors_;
  };
  /// Sets the uncertainty to 0: a module, for instance, is evaluated independently of the code that imports it.
  void begins_anew() { uncertainty_ = 0, early_ = {}; }
  /// Notes that a run may evaluate the code from here on never or many times.
  void may_not_happen() {
    ++uncertainty_;
    early_.weak_below = uncertainty();
  }
  /// Notes that a run may not reach the code from here on: a call or a loop that began at level `begun_at` may have
  /// ended. A plan guesses that it has not.
  void may_have_ended(int begun_at) {
    if (!is_check() || early_.weak_below > begun_at) return;
    ++early_.ends;
    early_.weak_below = begun_at + 1;
  }
  /// True if the walk is at a position where a run may not execute an assignment.
  bool is_in_doubt() const { return early_.weak_below > 0; }

  /// Returns the value of a name after `name := value`. The name held `old`, and was bound at level `bound_at`.
  HostValue after_assignment(const HostValue& old, HostValue value, int bound_at) {
    return bound_at < uncertainty() ? after_doubtful_assignment(old, std::move(value), bound_at) : value;
  }

  /// Returns a value that stands for either `a` or `b`; in a plan, a guess.
  HostValue merge(const HostValue& a, const HostValue& b);
  /// Returns a value that stands for any one of the items.
  HostValue merge_all(const std::vector<HostValue>& items);
  /// Prepares the names that a loop assigns for a single walk of the loop. Their numbers and strings become unknown,
  /// and each of their tensors is marked as one of several.
  void numbers_become_unknown(const NameSet& names, Scope& scope, Undo& undo);
  /// Does the same after iterations that were not walked. Lists become unknown too.
  void values_become_unknown(const NameSet& names, Scope& scope, Undo& undo);

  /// Notes that `value` is one of several possible tensors: another branch may give another tensor instead.
  void becomes_one_of_several(const graph::Value& value) { several_.insert(value.node->id); }
  /// The node numbers of these tensors.
  const std::unordered_set<int64_t>& ones_of_several() const { return several_; }
  /// Copies this knowledge from another domain.
  void learn_from(const AbstractDomain& other) { several_ = other.several_; }

  /// Replaces the value of a binding by a value that stands for all its possible values from here on.
  void assigns(Binding& binding, Scope& owner, HostValue&& value, Undo& undo);
  /// Adds an assignment to the innermost list, if there is one.
  void assigned(const AssignedName& name) {
    if (assigned_ != nullptr) assigned_->push_back(name);
  }
  /// Collects assignments in `list` while the returned object lives.
  Restore<AssignedNames*> into(AssignedNames& list) { return Restore<AssignedNames*>(assigned_, &list); }

 private:
  HostValue after_doubtful_assignment(const HostValue& old, HostValue value, int bound_at);
  /// Returns the better guess of two values; nothing if neither is good.
  std::optional<HostValue> guess(const HostValue& a, const HostValue& b);

  enum class Mode : uint8_t { kCheck, kPlan, kRun };
  Mode mode_;
  int uncertainty_ = 0;
  int error_came_from_ = 0;  ///< the level of uncertainty of an error under way; 0: no block has noted one
  Early early_;
  AssignedNames* assigned_ = nullptr;
  std::unordered_set<int64_t> several_;
};

inline AbstractDomain::Uncertain AbstractDomain::uncertain() {
  MTF_CHECK(is_abstract(), "a condition is unknown in a run");
  return Uncertain(*this);
}

/// The number of values of a sequence; -1 if only a run knows it.
inline int64_t count_of(const Sequence& sequence, const AbstractDomain& domain) {
  return domain.is_abstract() && sequence.count == Sequence::kUntilNone ? -1 : sequence.count;
}

/// The unknown number that the host gets when it reads an element of a tensor.
HostValue unknown_number(ElementType element);
/// Joins the values of names where several control-flow paths meet.
class JoinedNames {
 public:
  JoinedNames(const NameSet& names, Scope& scope, AbstractDomain& domain, Undo& undo);

  /// Adds a path that ends here, with the present values of the names.
  void add();
  /// True if a path has been added.
  bool any() const { return any_; }
  /// Binds each name to its joined value, and forgets the paths.
  void put();

 private:
  std::vector<Scope::Found> names_;
  std::vector<HostValue> joined_;
  bool any_ = false;
  AbstractDomain& domain_;
  Undo& undo_;
};

/// The branches behind an unknown condition. Each branch starts from the same bindings and variables; their results are
/// joined.
class Ways {
 public:
  /// `names`: the names that the texts of the branches assign.
  Ways(const NameSet& names, Scope& scope, AbstractDomain& domain, Undo& undo);

  /// Walks a branch from the state before the `if`. `walk` returns true if control continues behind the `if`, with the
  /// values that the branch has assigned. If the branch ends the call or loop instead, `outlives` says whether a name
  /// still exists after that end.
  template <typename Walk, typename Outlives>
  void walk(const Walk& walk, const Outlives& outlives) {
    put_back();
    UndoLog changed;
    AssignedNames assigned;
    bool goes_on = false;
    {
      const auto log = undo_.into(changed);
      const auto list = domain_.into(assigned);
      goes_on = walk();
    }
    if (goes_on) {
      joined_.add();
      for (const AssignedName& name : assigned) left_.emplace_back(name, name.value());
    } else if (domain_.is_check()) {
      for (const AssignedName& name : assigned)
        if (outlives(*name.scope)) ended_.emplace_back(name, name.value());
    }
    changed.take_back();
  }
  /// Adds the branch in which nothing happens.
  void walk_nothing();
  /// Binds each name to the join of the values from the branches that continue.
  void finish();

 private:
  void put_back();
  /// Joins the values of names that no branch assigns in its own text: parts of instances, and names that called
  /// functions assign.
  void join_others();

  std::vector<std::pair<Binding*, HostValue>> before_;
  JoinedNames joined_;
  std::vector<std::pair<AssignedName, HostValue>> left_;
  std::vector<std::pair<AssignedName, HostValue>> ended_;  ///< the values from the branches that end
  AbstractDomain& domain_;
  Undo& undo_;
};

}  // namespace mtf::eval
