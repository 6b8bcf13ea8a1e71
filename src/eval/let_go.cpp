// Letting go of values that hold one another, as deep as a program likes, and of scopes that hold themselves.
//
// A list holds lists, an instance its scope and that the instances below it. Destructors that follow such a chain one
// inside the other run out of stack; so each hands over what it alone holds, and the outermost lets go of that one
// after another.
//
// A scope holds the functions that it declares, and a function the scope in which it is written. When nobody else holds
// any of them any more they are let go. The search (reached.h) runs at points that the program fixes: by the number of
// scopes, and by the bytes of their tensors. It never runs by memory or time, so ranks agree on what is alive.
#include "eval/reached.h"

namespace mtf::eval {
namespace {

thread_local std::vector<std::shared_ptr<void>>* under_way = nullptr;  ///< what the outermost has still to let go of

class LetGo {
 public:
  /// Takes a value that can hold others.
  void take(HostValue& value);
  void take(ScopePtr& scope) { take_alone(scope); }
  /// Lets go of all that was taken, or hands it to the LetGo of this thread that is at it.
  ~LetGo();

 private:
  template <typename T>
  void take_alone(std::shared_ptr<T>& pointer) {
    if (pointer.use_count() == 1) taken_.push_back(std::move(pointer));
    else pointer.reset();  // one scope may hold a value by two names: the second is alone then
  }

  std::vector<std::shared_ptr<void>> taken_;
};

void LetGo::take(HostValue& value) {
  if (value.is_plain() || value.is<Text>()) return;
  if (auto* list = std::get_if<ListPtr>(&value.data)) take_alone(*list);
  else if (auto* instance = std::get_if<InstancePtr>(&value.data)) take_alone(*instance);
  else if (auto* function = std::get_if<FunctionPtr>(&value.data)) take_alone(*function);
  else if (auto* model = std::get_if<ModelClassPtr>(&value.data)) take_alone(*model);
}

LetGo::~LetGo() {
  if (taken_.empty()) return;
  if (under_way) {
    for (std::shared_ptr<void>& one : taken_) under_way->push_back(std::move(one));
    return;
  }
  under_way = &taken_;
  while (!taken_.empty()) {
    const std::shared_ptr<void> last = std::move(taken_.back());
    taken_.pop_back();
  }
  under_way = nullptr;
}

}  // namespace

List::~List() {
  LetGo let_go;
  for (HostValue& item : items) let_go.take(item);
}

Scope::~Scope() { end(); }

void Scope::forget_names() {
  const auto is_plain = [](const Binding& binding) { return binding.value.is_plain(); };
  if (!std::all_of(bindings.begin(), bindings.end(), is_plain) || !hoisted.empty()) {
    LetGo let_go;
    for (Binding& binding : bindings) let_go.take(binding.value);
    for (Binding& binding : hoisted) let_go.take(binding.value);
  }
  bindings.clear();
  hoisted.clear();
  rearranged();
}

void Scope::end() {
  forget_names();
  LetGo let_go;
  let_go.take(parent);
  model = nullptr;
  named.reset();
}

void Scope::let_go_of_cycles() {
  constexpr size_t kFew = 32;
  const std::shared_ptr<Captured> all = captured_inside();
  std::vector<std::shared_ptr<Scope>> scopes;
  for (const std::weak_ptr<Scope>& captured_scope : all->scopes)
    if (std::shared_ptr<Scope> scope = captured_scope.lock(); scope && scope->parent)
      scopes.push_back(std::move(scope));
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
  std::erase_if(all->scopes, [](const auto& scope) { return scope.expired(); });
  all->next_search = 2 * all->scopes.size() + kFew;
  int64_t held = 0;
  for (const std::weak_ptr<Scope>& left : all->scopes)
    if (const std::shared_ptr<Scope> scope = left.lock()) held = saturating_add(held, bytes_named_in(*scope));
  all->next_bytes = std::max(kFewBytes, held);
  all->new_bytes = 0;
}

}  // namespace mtf::eval
