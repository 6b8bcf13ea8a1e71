// Scopes that hold themselves: a scope holds the functions that it declares, and a function the scope in which it is
// written. When nobody else holds any of them any more they are let go.
//
// The search (reached.h) runs at points that the program fixes, never by memory or time, so that ranks agree on what is alive.
#include "eval/reached.h"

namespace mtf {

void Scope::let_go_of_cycles() {
  constexpr size_t kFew = 32;
  std::vector<std::shared_ptr<Scope>> scopes;
  for (const std::weak_ptr<Scope>& captured_scope : captured_inside)
    if (std::shared_ptr<Scope> scope = captured_scope.lock(); scope && scope->parent) scopes.push_back(std::move(scope));
  Reached reached;
  for (const std::shared_ptr<Scope>& scope : scopes) reached.from(scope);
  reached.decide();
  std::vector<std::shared_ptr<Scope>> garbage = std::move(scopes);
  std::erase_if(garbage, [&](const auto& scope) { return reached.is_held_outside(scope.get()); });
  for (const std::shared_ptr<Scope>& scope : garbage) {
    scope->bindings.clear();
    scope->rearranged();
    scope->hoisted.clear();
  }
  garbage.clear();
  std::erase_if(captured_inside, [](const auto& scope) { return scope.expired(); });
  next_search_ = 2 * captured_inside.size() + kFew;
}

}  // namespace mtf
