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
      scope->hoisted.clear();
      scope->rearranged();
    }
  }
}

namespace {
constexpr size_t kMany = 32;
}

std::optional<size_t> Scope::last_place(std::unique_ptr<Index>& index, const std::vector<Binding>& all, Name name) {
  if (!index) index = std::make_unique<Index>();
  for (; index->count < all.size(); ++index->count) index->last[all[index->count].name] = index->count;
  const auto found = index->last.find(name);
  return found == index->last.end() ? std::nullopt : std::optional(found->second);
}

Binding* Scope::find_bound(Name name, size_t limit) {
  limit = std::min(limit, bindings.size());
  if (bindings.size() > kMany) {
    const auto last = last_place(index_, bindings, name);
    if (!last) return nullptr;
    limit = std::min(limit, *last + 1);
  }
  for (size_t i = limit; i > 0; --i) {
    if (bindings[i - 1].name == name) return &bindings[i - 1];
  }
  return nullptr;
}

Binding* Scope::find_hoisted(Name name) {
  if (hoisted.size() > kMany) {
    const auto place = last_place(hoisted_index_, hoisted, name);
    return place ? &hoisted[*place] : nullptr;
  }
  const auto found = std::find_if(hoisted.begin(), hoisted.end(), [&](const Binding& one) { return one.name == name; });
  return found == hoisted.end() ? nullptr : &*found;
}

Binding* Scope::find_own(Name name, size_t limit) {
  Binding* const binding = find_bound(name, limit);
  return binding ? binding : find_hoisted(name);
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
