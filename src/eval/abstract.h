#pragma once
// The abstract domain: what a check and a plan do where only the run knows.
//
// A check evaluates without computing anything, a plan on a runtime that knows no numbers (plan/runtime.h); both are
// called abstract. What tensors hold is Unknown to them (host_value.h). Where control depends on an Unknown every way
// is walked, one level of uncertainty deeper, and what a name is afterwards is what the ways left it as, joined (merge
// in host_value.h). Poison stands for what has been reported. In a run nothing is Unknown, and the uncertainty is 0.
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "eval/block_info.h"
#include "eval/findings.h"
#include "eval/host_value.h"
#include "eval/scope.h"
#include "eval/undo.h"
#include "plan/execution.h"
#include "support/restore.h"

namespace mtf::eval {

/// A name that has been assigned where that may not have happened: of a block around, of an instance, of what stands
/// around a function that was called.
struct AssignedName {
  ScopePtr scope;
  size_t index;   ///< of its binding
  bool was_none;  ///< this is its first value
  HostValue& value() const { return scope->bindings[index].value; }
};
using AssignedNames = std::vector<AssignedName>;

class AbstractDomain {
 public:
  /// `execution`: null to check.
  explicit AbstractDomain(const plan::Execution* execution);

  bool is_check() const { return mode_ == Mode::kCheck; }
  bool is_plan() const { return mode_ == Mode::kPlan; }
  /// A check or a plan.
  bool is_abstract() const { return mode_ != Mode::kRun; }

  /// How many unknown conditions, and loops that are walked once, stand around what is evaluated now.
  int uncertainty() const { return uncertainty_; }
  /// One more, for as long as what it returns lives.
  Restore<int> uncertain() { return Restore<int>(uncertainty_, uncertainty_ + 1); }
  /// From here on one more, until what it returned before is gone.
  void becomes_uncertain() { ++uncertainty_; }
  /// As now, when what it returns is gone.
  Restore<int> as_it_is() { return Restore<int>(uncertainty_); }
  /// None, where what is evaluated does not depend on what stands around it: a module.
  Restore<int> certain() { return Restore<int>(uncertainty_, 0); }

  /// What a name is after `name := value`, which was `old` and was bound at a level of uncertainty. Where the
  /// assignment may not have happened, or may happen again, numbers and strings are unknown.
  HostValue after_assignment(const HostValue& old, HostValue value, int bound_at) const {
    return bound_at < uncertainty_ ? after_doubtful_assignment(old, std::move(value)) : value;
  }

  /// What both could be; nothing if a name must not be left as either of them.
  std::optional<HostValue> merge(const HostValue& a, const HostValue& b);
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

  /// A name is assigned: it goes into the innermost list, if there is one.
  void assigned(const AssignedName& name) {
    if (assigned_ != nullptr) assigned_->push_back(name);
  }
  /// Names that are assigned go into `list`, for as long as what it returns lives.
  Restore<AssignedNames*> into(AssignedNames& list) { return Restore<AssignedNames*>(assigned_, &list); }

 private:
  HostValue after_doubtful_assignment(const HostValue& old, HostValue value) const;

  enum class Mode : uint8_t { kCheck, kPlan, kRun };
  Mode mode_;
  int uncertainty_ = 0;
  AssignedNames* assigned_ = nullptr;
  std::unordered_set<int64_t> several_;
};

/// A number of the host that is read of a tensor.
HostValue unknown_number(ElementType element);
/// The kinds of the names' values, to see whether a walk has changed one; nothing of a name that is `none`.
std::vector<std::optional<UnknownKind>> kinds_of(const NameSet& names, Scope& scope);

/// What names are where several ways meet.
class JoinedNames {
 public:
  /// `condition`: where a name that they leave as different things is reported (branch_types_differ).
  JoinedNames(const NameSet& names, Scope& scope, Span condition, AbstractDomain& domain, Undo& undo,
              Findings& findings);

  /// A way comes to here, with what the names are now.
  void add();
  /// True if one has.
  bool any() const { return any_; }
  /// Binds each name to what the ways have left, and begins again.
  void put();

 private:
  void join(size_t name, const HostValue& left);

  std::vector<Scope::Found> names_;
  std::vector<HostValue> joined_;
  bool any_ = false;
  Span condition_;
  AbstractDomain& domain_;
  Undo& undo_;
  Findings& findings_;
};

/// The ways from an unknown condition on. Each starts from the same bindings and variables; what they leave is joined.
class Ways {
 public:
  /// `names`: what the ways' texts assign. `condition`: as that of JoinedNames.
  Ways(const NameSet& names, Scope& scope, Span condition, AbstractDomain& domain, Undo& undo, Findings& findings);

  /// Walks a way, from what was before. `walk` returns true if the way goes on behind the `if`, with what it has
  /// assigned.
  template <typename Walk>
  void walk(const Walk& walk) {
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
  AbstractDomain& domain_;
  Undo& undo_;
};

}  // namespace mtf::eval
