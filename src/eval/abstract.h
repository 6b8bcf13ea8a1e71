#pragma once
// The abstract domain: what a check and a plan do where only the run knows.
//
// A check evaluates without computing anything, a plan on a runtime that knows no numbers (plan/runtime.h); both are
// called abstract. What tensors hold is Unknown to them (host_value.h, possible_values.h). Where control depends on an
// Unknown every way is walked, one level of uncertainty deeper, and a name is afterwards what the ways left it as,
// joined. In a run nothing is Unknown, and the uncertainty is 0.
//
// A check never refuses a right program: a name always stands for all values that a run may give it there. There are
// three ways to that:
//
//   Ways       the branches of an `if` start from one state, and their ends are joined
//   Loops      walk a body again until a walk leaves nothing that was not there before (eval/loops.h)
//   may not    elsewhere a part may not be evaluated, or many times: the right side of `and`, an element of a list of
//              unknown length, what stands behind a possible `return`, `break` or `continue`. A name that is bound
//              around such a part keeps its old values beside those that are assigned there.
//
// A plan guesses: it goes on with the last value of several, so that it can count what that costs.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "eval/block_info.h"
#include "eval/host_value.h"
#include "eval/possible_values.h"
#include "eval/scope.h"
#include "eval/undo.h"
#include "plan/execution.h"
#include "support/restore.h"

namespace mtf::eval {

/// A name that has been assigned where that may not have happened: of a block around, of an instance, of what stands
/// around a function that was called.
struct AssignedName {
  ScopePtr scope;
  size_t index;      ///< of its binding
  HostValue before;  ///< the value that the assignment replaced
  HostValue& value() const { return scope->bindings[index].value; }
};
using AssignedNames = std::vector<AssignedName>;

class AbstractDomain {
  /// Calls and loops under way that may have ended already.
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

  /// How many unknown conditions, and loops that are walked once, stand around what is evaluated now.
  int uncertainty() const { return uncertainty_ + early_.ends; }
  /// One more, for as long as what it returns lives.
  class Uncertain;
  Uncertain uncertain();
  /// From here on one more, until what it returned before is gone.
  void becomes_uncertain() { ++uncertainty_; }
  /// As now, when what it returns is gone.
  Restore<int> as_it_is() { return Restore<int>(uncertainty_); }

  /// Notes the level of uncertainty at which an error leaves the block of this.
  class NotesErrors {
   public:
    explicit NotesErrors(AbstractDomain& domain) : domain_(domain), exceptions_(std::uncaught_exceptions()) {}
    ~NotesErrors() {
      if (std::uncaught_exceptions() > exceptions_)
        domain_.error_came_from_ = std::max(domain_.error_came_from_, domain_.uncertainty());
    }
    NotesErrors(const NotesErrors&) = delete;
    NotesErrors& operator=(const NotesErrors&) = delete;

   private:
    AbstractDomain& domain_;
    const int exceptions_;
  };
  /// The level of uncertainty from which an error came that has just been caught.
  int caught_error_from() { return std::max(uncertainty(), std::exchange(error_came_from_, 0)); }

  class [[nodiscard]] Uncertain {
   public:
    explicit Uncertain(AbstractDomain& domain)
        : uncertainty_(domain.uncertainty_, domain.uncertainty_ + 1), errors_(domain) {}

   private:
    Restore<int> uncertainty_;
    NotesErrors errors_;
  };
  /// While it lives, the level of uncertainty and what may not happen can change; then they are as before.
  class [[nodiscard]] Part {
   public:
    explicit Part(AbstractDomain& domain) : uncertainty_(domain.uncertainty_), early_(domain.early_), errors_(domain) {}

   private:
    Restore<int> uncertainty_;
    Restore<Early> early_;
    NotesErrors errors_;
  };
  /// Evaluation does not depend on what stands around it, as that of a module: there is no uncertainty.
  void begins_anew() { uncertainty_ = 0, early_ = {}; }
  /// From here on, what is evaluated may not happen, or many times.
  void may_not_happen() {
    ++uncertainty_;
    early_.weak_below = uncertainty();
  }
  /// From here on, what is evaluated may not be reached, as a call or a loop that began at the level `begun_at` may
  /// have ended already.
  void may_have_ended(int begun_at) {
    if (early_.weak_below > begun_at) return;
    ++early_.ends;
    early_.weak_below = begun_at + 1;
  }
  /// True if the walk stands where an assignment may not happen.
  bool is_in_doubt() const { return early_.weak_below > 0; }

  /// What a name is after `name := value`, which was `old` and was bound at a level of uncertainty.
  HostValue after_assignment(const HostValue& old, HostValue value, int bound_at) {
    return bound_at < uncertainty() ? after_doubtful_assignment(old, std::move(value), bound_at) : value;
  }

  /// What is known of a value that is one or the other.
  HostValue merge(const HostValue& a, const HostValue& b);
  /// What is known of one of the items.
  HostValue merge_all(const std::vector<HostValue>& items);
  /// The names that a loop assigns before it is walked once: their numbers and strings become unknown, their tensors
  /// one of several.
  void numbers_become_unknown(const NameSet& names, Scope& scope, Undo& undo);
  /// After turns that were not walked: lists too.
  void values_become_unknown(const NameSet& names, Scope& scope, Undo& undo);

  /// On another way something else may stand in its place.
  void becomes_one_of_several(const graph::Value& value) { several_.insert(value.node->id); }
  /// The numbers of the nodes of which that is so.
  const std::unordered_set<int64_t>& ones_of_several() const { return several_; }
  /// From here on it knows what another does.
  void learn_from(const AbstractDomain& other) { several_ = other.several_; }

  /// A binding around is given what it may hold from here on.
  void assigns(Binding& binding, Scope& owner, HostValue value, Undo& undo);
  /// A name is assigned: it goes into the innermost list, if there is one.
  void assigned(const AssignedName& name) {
    if (assigned_ != nullptr) assigned_->push_back(name);
  }
  /// Names that are assigned go into `list`, for as long as what it returns lives.
  Restore<AssignedNames*> into(AssignedNames& list) { return Restore<AssignedNames*>(assigned_, &list); }

 private:
  HostValue after_doubtful_assignment(const HostValue& old, HostValue value, int bound_at);
  /// The better guess of two values; nothing if no guess is good.
  std::optional<HostValue> guess(const HostValue& a, const HostValue& b);

  enum class Mode : uint8_t { kCheck, kPlan, kRun };
  Mode mode_;
  int uncertainty_ = 0;
  int error_came_from_ = 0;  ///< of an error under way, the level of uncertainty; 0: no block has noted it
  Early early_;
  AssignedNames* assigned_ = nullptr;
  std::unordered_set<int64_t> several_;
};

inline AbstractDomain::Uncertain AbstractDomain::uncertain() { return Uncertain(*this); }

/// A number of the host that is read of a tensor.
HostValue unknown_number(ElementType element);
/// What names are where several ways meet.
class JoinedNames {
 public:
  JoinedNames(const NameSet& names, Scope& scope, AbstractDomain& domain, Undo& undo);

  /// A way comes to here, with what the names are now.
  void add();
  /// True if one has.
  bool any() const { return any_; }
  /// Binds each name to what the ways have left, and begins again.
  void put();

 private:
  std::vector<Scope::Found> names_;
  std::vector<HostValue> joined_;
  bool any_ = false;
  AbstractDomain& domain_;
  Undo& undo_;
};

/// The ways from an unknown condition on. Each starts from the same bindings and variables; what they leave is joined.
class Ways {
 public:
  /// `names`: what the ways' texts assign.
  Ways(const NameSet& names, Scope& scope, AbstractDomain& domain, Undo& undo);

  /// Walks a way, from what was before. `walk` returns true if the way goes on behind the `if`, with what it has
  /// assigned. If the way ends instead, `outlives` says whether a name is still there when the call or loop has ended.
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
  /// The way on which nothing happens.
  void walk_nothing();
  /// Binds each name to what the ways that went on have left.
  void finish();

 private:
  void put_back();
  /// Joins what the ways left of the names that their texts do not assign: parts of instances, those that functions
  /// assign.
  void join_others();

  std::vector<std::pair<Binding*, HostValue>> before_;
  JoinedNames joined_;
  std::vector<std::pair<AssignedName, HostValue>> left_;
  std::vector<std::pair<AssignedName, HostValue>> ended_;  ///< what the ways that end have left
  AbstractDomain& domain_;
  Undo& undo_;
};

}  // namespace mtf::eval
