#include "eval/scope.h"

#include <algorithm>

namespace mtf {

void Scope::bind(Name name, HostValue value, Span span) {
  if (Binding* const binding = captured ? nullptr : find_bound(name, bindings.size())) {
    // Nobody sees the old one any more. It moves to the end, so that the order stays that of the declarations.
    binding->value = std::move(value);
    binding->span = span;
    const auto place = bindings.begin() + (binding - bindings.data());
    if (place + 1 == bindings.end()) return;
    std::rotate(place, place + 1, bindings.end());
    rearranged();
    return;
  }
  bindings.push_back({name, std::move(value), span});
}

void Scope::capture() {
  if (captured) return;
  Scope* outermost = this;
  while (outermost->parent) outermost = outermost->parent.get();
  std::vector<std::weak_ptr<Scope>>& all = outermost->captured_inside;
  for (Scope* scope = this; scope != nullptr && !scope->captured; scope = scope->parent.get()) {
    scope->captured = true;
    if (all.size() == all.capacity()) std::erase_if(all, [](const auto& other) { return other.expired(); });
    all.push_back(scope->weak_from_this());
  }
}

void Scope::release() {
  const std::vector<std::weak_ptr<Scope>> all = std::move(captured_inside);
  for (const std::weak_ptr<Scope>& captured_scope : all) {
    if (const std::shared_ptr<Scope> scope = captured_scope.lock()) {
      scope->bindings.clear();
      scope->rearranged();
      scope->hoisted.clear();
    }
  }
}

Binding* Scope::find_bound(Name name, size_t limit) {
  constexpr size_t kMany = 32;
  limit = std::min(limit, bindings.size());
  if (bindings.size() > kMany) {
    if (!index_) index_ = std::make_unique<Index>();
    for (; index_->count < bindings.size(); ++index_->count) index_->last[bindings[index_->count].name] = index_->count;
    const auto found = index_->last.find(name);
    if (found == index_->last.end()) return nullptr;
    limit = std::min(limit, found->second + 1);
  }
  for (size_t i = limit; i > 0; --i) {
    if (bindings[i - 1].name == name) return &bindings[i - 1];
  }
  return nullptr;
}

Binding* Scope::find_own(Name name, size_t limit) {
  if (Binding* const binding = find_bound(name, limit)) return binding;
  for (Binding& binding : hoisted) {
    if (binding.name == name) return &binding;
  }
  return nullptr;
}

Scope::Found Scope::find(Name name, size_t limit) {
  for (Scope* scope = this; scope != nullptr; limit = scope->parent_limit, scope = scope->parent.get()) {
    if (Binding* binding = scope->find_own(name, limit)) return {binding, scope};
  }
  return {};
}

void Scope::visible_names(std::vector<std::string>& names) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent.get()) {
    for (size_t i = scope->bindings.size(); i > 0; --i) names.push_back(scope->bindings[i - 1].name.str());
    for (const Binding& binding : scope->hoisted) names.push_back(binding.name.str());
  }
}

}  // namespace mtf
