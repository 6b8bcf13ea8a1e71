// Releases nested values of any depth without recursion, and scopes that are part of reference cycles.
//
// A list holds lists; an instance holds its scope, which holds the instances inside. Nested destructors of such a chain
// would overflow the stack. So each destructor passes on the objects that only it holds, and the outermost destructor
// releases them one after another.
//
// A scope holds the functions that it declares, and a function holds its enclosing scope. Such a cycle is released when
// nothing outside holds any part of it. Where no function has left the scope, this is at the end of its block. Other
// cycles have to be searched for. The search (reached.h) runs at points that the program determines: by the
// number of scopes, and by the bytes of their tensors. Memory use and time do not matter, so all ranks agree on which
// values are alive.
#include "eval/reached.h"

namespace mtf::eval {
namespace {

thread_local std::vector<std::shared_ptr<void>>* under_way = nullptr;  ///< for the outermost destructor to release

class LetGo {
 public:
  /// Takes a value that can hold other values.
  void take(HostValue& value);
  void take(ScopePtr& scope) { take_alone(scope); }
  /// Releases all that was taken, or passes it to the LetGo that this thread is already running.
  ~LetGo();

 private:
  template <typename T>
  void take_alone(std::shared_ptr<T>& pointer) {
    if (pointer.use_count() == 1) taken_.push_back(std::move(pointer));
    else pointer.reset();  // if a scope holds a value by two names, the second is the last holder
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
  bool are_plain = hoisted.empty();
  for (const Binding& binding : bindings) are_plain = are_plain && binding.value.is_plain();
  if (!are_plain) [[unlikely]]
    let_go_of_names();
  bindings.clear();
  rearranged();
}

[[gnu::noinline]] void Scope::let_go_of_names() {
  LetGo let_go;
  for (Binding& binding : bindings) let_go.take(binding.value);
  for (Binding& binding : hoisted) let_go.take(binding.value);
  hoisted.clear();
}

void Scope::end() {
  forget_names();
  if (parent.use_count() == 1) [[unlikely]]
    LetGo().take(parent);
  parent.reset();
  model = nullptr;
  named.reset();
}

bool Scope::is_held_by_its_functions_and(long others) const {
  long inside = 0;
  std::vector<std::pair<const void*, long>> seen;  // each function or model, and the references that are not ours
  const auto count = [&](const auto& pointer) {
    if (pointer->scope.get() != this) return;
    const auto at = std::find_if(seen.begin(), seen.end(), [&](const auto& one) { return one.first == pointer.get(); });
    if (at != seen.end()) --at->second;
    else seen.emplace_back(pointer.get(), pointer.use_count() - 1);
  };
  for (const auto* names : {&hoisted, &bindings}) {
    for (const Binding& binding : *names) {
      if (auto* function = binding.value.as<FunctionPtr>()) count(*function);
      else if (auto* model = binding.value.as<ModelClassPtr>()) count(*model);
    }
  }
  for (const auto& [object, left] : seen) inside += left == 0 ? 1 : 0;
  return weak_from_this().use_count() == inside + others;
}

void Scope::end_captured() {
  Captured& all = *outermost->captured_inside();
  all.new_bytes -= std::min(all.new_bytes, bytes_named_in(*this));
  end();
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
