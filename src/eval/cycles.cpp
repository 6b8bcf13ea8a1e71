// Scopes that hold themselves: a scope holds the functions that it declares, and a function the scope in which it is
// written. When nobody else holds any of them any more they are let go.
//
// The search counts, for every scope, function, model, instance and list that is reached from the captured scopes, how
// many of its references come from within (trial deletion, as CPython's collector does). What has others is held from
// outside, by the evaluator or a name, and so is all that it holds; the rest are cycles. It runs at points that the
// program fixes, never by memory or time, so that ranks agree on what is alive.
#include <unordered_map>
#include <unordered_set>

#include "eval/scope.h"

namespace mtf {
namespace {

class Cycles {
 public:
  explicit Cycles(const std::vector<std::shared_ptr<Scope>>& scopes) : scopes_(scopes) {
    for (const std::shared_ptr<Scope>& scope : scopes) reach(scope, 0);
    for (size_t i = 0; i < objects_.size(); ++i) each_reference(i, [&](const auto& reference) { reach(reference, 1); });
  }

  /// Those among the scopes that nothing outside holds.
  std::vector<std::shared_ptr<Scope>> garbage() {
    std::vector<size_t> stack;
    for (const std::shared_ptr<Scope>& scope : scopes_) ++objects_[index_.at(scope.get())].inside;  // our own
    for (size_t i = 0; i < objects_.size(); ++i)
      if (objects_[i].references > objects_[i].inside) stack.push_back(i);
    while (!stack.empty()) {
      const size_t at = stack.back();
      stack.pop_back();
      if (objects_[at].held) continue;
      objects_[at].held = true;
      each_reference(at, [&](const auto& reference) {
        if (auto found = index_.find(reference.get()); found != index_.end()) stack.push_back(found->second);
      });
    }
    std::vector<std::shared_ptr<Scope>> result;
    for (const std::shared_ptr<Scope>& scope : scopes_)
      if (!objects_[index_.at(scope.get())].held) result.push_back(scope);
    return result;
  }

 private:
  struct Object {
    std::variant<Scope*, Function*, ModelClass*, Instance*, List*> what;
    long references = 0;
    long inside = 0;
    bool held = false;
  };

  template <typename T>
  void reach(const std::shared_ptr<T>& reference, long inside) {
    auto [at, fresh] = index_.emplace(reference.get(), objects_.size());
    if (fresh) objects_.push_back({reference.get(), reference.use_count(), 0, false});
    objects_[at->second].inside += inside;
  }

  /// Calls `visit` with each shared pointer that an object holds to another.
  template <typename Visit>
  void each_reference(size_t object, const Visit& visit) {
    auto value = [&](const HostValue& v) {
      if (auto* function = v.as<FunctionPtr>()) visit(*function);
      else if (auto* model = v.as<ModelClassPtr>()) visit(*model);
      else if (auto* instance = v.as<InstancePtr>()) visit(*instance);
      else if (auto* list = v.as<ListPtr>()) visit(*list);
    };
    const auto what = objects_[object].what;  // the list of objects grows
    if (auto* scope = std::get_if<Scope*>(&what)) {
      for (const auto* bindings : {&(*scope)->bindings, &(*scope)->hoisted})
        for (const Binding& binding : *bindings) value(binding.value);
      if ((*scope)->parent && (*scope)->parent->parent) visit((*scope)->parent);  // the outermost lives as long as its program
    } else if (auto* function = std::get_if<Function*>(&what)) {
      if ((*function)->scope && (*function)->scope->parent) visit((*function)->scope);
    } else if (auto* model = std::get_if<ModelClass*>(&what)) {
      if ((*model)->scope && (*model)->scope->parent) visit((*model)->scope);
    } else if (auto* instance = std::get_if<Instance*>(&what)) {
      visit((*instance)->model);
      visit((*instance)->scope);
    } else if (auto* list = std::get_if<List*>(&what)) {
      for (const HostValue& item : (*list)->items) value(item);
    }
  }

  const std::vector<std::shared_ptr<Scope>>& scopes_;
  std::vector<Object> objects_;
  std::unordered_map<const void*, size_t> index_;
};

}  // namespace

void Scope::let_go_of_cycles() {
  constexpr size_t kFew = 32;
  std::vector<std::shared_ptr<Scope>> scopes;
  for (const std::weak_ptr<Scope>& captured_scope : captured_inside)
    if (std::shared_ptr<Scope> scope = captured_scope.lock(); scope && scope->parent) scopes.push_back(std::move(scope));
  std::vector<std::shared_ptr<Scope>> garbage = Cycles(scopes).garbage();
  scopes.clear();
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
