#pragma once
// A pool of scopes, left over from blocks and calls that have ended.
//
// A loop iteration, a branch and a call each bind names in a scope of their own. Hardly anything holds such a scope
// when the block has ended. The pool then clears the scope and reuses it, with the memory of its bindings. It clears
// also a scope that only functions see that nothing but the scope holds, so their values die with the block.
// A scope is not reused in two cases:
// - Something holds it: a reference, or a function that sees its bindings (Scope::captured).
// - Assignments are being logged (Undo). The log tells scopes apart by their addresses, and holds them only weakly.
#include <utility>
#include <vector>

#include "eval/scope.h"
#include "eval/undo.h"

namespace mtf::eval {

class SpareScopes {
 public:
  explicit SpareScopes(const Undo& undo) : undo_(undo) {}

  /// Returns an empty scope, new or reused.
  ScopePtr take(ScopePtr outer, size_t outer_limit, int uncertain) {
    if (spare_.empty()) return std::make_shared<Scope>(std::move(outer), outer_limit, uncertain);
    ScopePtr scope = std::move(spare_.back());
    spare_.pop_back();
    scope->begin(std::move(outer), outer_limit, uncertain);
    return scope;
  }
  /// Gives back the scope of a block or call that has ended. Releases its names if only its own functions see them.
  void give_back(ScopePtr scope) {
    if (is_ours(scope)) {
      scope->end();
      spare_.push_back(std::move(scope));
    } else if (scope->captured && scope->is_held_by_its_functions_and(1)) {
      scope->end_captured();
    }
  }
  /// True if nothing else holds or observes the scope.
  bool is_ours(const ScopePtr& scope) const { return scope.use_count() == 1 && !scope->captured && !undo_.wanted(); }

 private:
  const Undo& undo_;
  std::vector<ScopePtr> spare_;
};

/// Holds the scope of a block or a call while it runs.
class [[nodiscard]] OwnScope {
 public:
  OwnScope(SpareScopes& spare, ScopePtr outer, size_t outer_limit, int uncertain, const Function* called = nullptr)
      : spare_(spare), scope_(spare.take(std::move(outer), outer_limit, uncertain)) {
    scope_->called = called;
  }
  ~OwnScope() { spare_.give_back(std::move(scope_)); }
  /// Ends a loop iteration. The next one binds its names in the same scope, or in another one if this one is held.
  void end_iteration() {
    if (spare_.is_ours(scope_)) return scope_->forget_names();
    ScopePtr next = spare_.take(scope_->parent, scope_->parent_limit, scope_->uncertain);
    spare_.give_back(std::exchange(scope_, std::move(next)));
  }
  OwnScope(const OwnScope&) = delete;
  OwnScope& operator=(const OwnScope&) = delete;

  operator const ScopePtr&() const { return scope_; }  // NOLINT: stands for its scope
  Scope* operator->() const { return scope_.get(); }
  Scope& operator*() const { return *scope_; }

 private:
  SpareScopes& spare_;
  ScopePtr scope_;
};

}  // namespace mtf::eval
