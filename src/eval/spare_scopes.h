#pragma once
// A pool of scopes, left over from blocks and calls that have ended.
//
// A loop iteration, a branch and a call each bind names in a scope of their own. Hardly anything holds such a scope
// when the block has ended. The pool then clears the scope and reuses it, with the memory of its bindings. It clears
// also a scope that only functions see that nothing but the scope holds, so their values die with the block.
// A scope is not reused in two cases:
// - Something holds it: a reference, or a function that sees its bindings (Scope::captured).
// - Assignments are being logged (Undo). The log tells scopes apart by their addresses, and holds them only weakly.
#include <memory>

#include "eval/scope.h"
#include "eval/undo.h"

namespace mtf::eval {

class SpareScopes {
 public:
  explicit SpareScopes(const Undo& undo) : undo_(undo) {}

 private:
  friend class OwnScope;
  /// Blocks and calls end in the reverse order of their beginning. So each nesting depth has one scope at a time.
  struct Depth {
    ScopePtr scope = nullptr;  ///< of the block or call under way, or left over; null if there is none
    Depth* outer = nullptr;
    std::unique_ptr<Depth> inner = nullptr;
  };

  const Undo& undo_;
  Depth outermost_;
  Depth* innermost_ = &outermost_;
};

/// Holds the scope of a block or a call while it runs.
class [[nodiscard]] OwnScope {
 public:
  OwnScope(SpareScopes& spare, const ScopePtr& outer, size_t outer_limit, int uncertain,
           const Function* called = nullptr)
      : spare_(spare), depth_(*spare.innermost_) {
    if (!depth_.inner) depth_.inner.reset(new SpareScopes::Depth{nullptr, &depth_});
    spare.innermost_ = depth_.inner.get();
    if (depth_.scope) depth_.scope->begin(outer, outer_limit, uncertain);
    else depth_.scope = std::make_shared<Scope>(outer, outer_limit, uncertain);
    depth_.scope->called = called;
  }
  /// Releases the names of the scope if nothing else holds it.
  ~OwnScope() {
    if (is_ours()) depth_.scope->end();
    else leave();
    spare_.innermost_ = &depth_;
  }
  /// Ends a loop iteration. The next one binds its names in the same scope, or in another one if this one is held.
  void end_iteration() {
    if (is_ours()) return depth_.scope->forget_names();
    auto next = std::make_shared<Scope>(depth_.scope->parent, depth_.scope->parent_limit, depth_.scope->uncertain);
    leave();
    depth_.scope = std::move(next);
  }
  OwnScope(const OwnScope&) = delete;
  OwnScope& operator=(const OwnScope&) = delete;

  operator const ScopePtr&() const { return depth_.scope; }  // NOLINT: stands for its scope
  Scope* operator->() const { return depth_.scope.get(); }
  Scope& operator*() const { return *depth_.scope; }

 private:
  /// True if nothing else holds or observes the scope.
  bool is_ours() const { return depth_.scope.use_count() == 1 && !depth_.scope->captured && !spare_.undo_.wanted(); }
  /// Leaves the scope to its other holders. Releases its names if only its own functions see them.
  void leave() {
    if (depth_.scope->captured && depth_.scope->is_held_by_its_functions_and(1)) depth_.scope->end_captured();
    depth_.scope.reset();
  }

  SpareScopes& spare_;
  SpareScopes::Depth& depth_;
};

}  // namespace mtf::eval
