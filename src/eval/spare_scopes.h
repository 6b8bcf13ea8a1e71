#pragma once
// Scopes of blocks and calls that have ended, to be used again.
//
// A turn of a loop, a branch and a call bind their names each in a scope of its own, and hardly ever does anybody hold
// it when they have ended. Then it lets go of all that it holds and is kept, with the memory of its bindings, for the
// next one. A scope is left to those who hold it if there are any (a reference, or a function that sees its bindings:
// Scope::captured), and while what is assigned is written down to be taken back (Undo), for which it has to be known
// from all others, though only by weak references.
#include <utility>
#include <vector>

#include "eval/scope.h"
#include "eval/undo.h"

namespace mtf::eval {

class SpareScopes {
 public:
  explicit SpareScopes(const Undo& undo) : undo_(undo) {}

  /// An empty scope, of which nothing tells whether it is new.
  ScopePtr take(ScopePtr outer, size_t outer_limit, int uncertain) {
    if (spare_.empty()) return std::make_shared<Scope>(std::move(outer), outer_limit, uncertain);
    ScopePtr scope = std::move(spare_.back());
    spare_.pop_back();
    scope->begin(std::move(outer), outer_limit, uncertain);
    return scope;
  }
  /// What bound its names there has ended.
  void give_back(ScopePtr scope) {
    if (!is_ours(scope)) return;
    scope->end();
    spare_.push_back(std::move(scope));
  }
  /// Nobody else holds or knows it.
  bool is_ours(const ScopePtr& scope) const { return scope.use_count() == 1 && !scope->captured && !undo_.wanted(); }

 private:
  const Undo& undo_;
  std::vector<ScopePtr> spare_;
};

/// The scope of a block or a call, for as long as that is under way.
class [[nodiscard]] OwnScope {
 public:
  OwnScope(SpareScopes& spare, ScopePtr outer, size_t outer_limit, int uncertain)
      : spare_(spare), scope_(spare.take(std::move(outer), outer_limit, uncertain)) {}
  ~OwnScope() { spare_.give_back(std::move(scope_)); }
  /// A turn has ended, and the next one binds its names anew: here, or in a scope like it.
  void end_turn() {
    if (spare_.is_ours(scope_)) return scope_->forget_names();
    ScopePtr next = spare_.take(scope_->parent, scope_->parent_limit, scope_->uncertain);
    spare_.give_back(std::exchange(scope_, std::move(next)));
  }
  OwnScope(const OwnScope&) = delete;
  OwnScope& operator=(const OwnScope&) = delete;

  operator const ScopePtr&() const { return scope_; }  // NOLINT: it is that scope
  Scope* operator->() const { return scope_.get(); }
  Scope& operator*() const { return *scope_; }

 private:
  SpareScopes& spare_;
  ScopePtr scope_;
};

}  // namespace mtf::eval
