#include "eval/scope.h"

#include <algorithm>
#include <functional>

#include "eval/undo.h"

namespace mtf::eval {

namespace {

graph::Handle* handle_of(Binding& binding) { return std::get_if<graph::Handle>(&binding.value.data); }

/// The old state of a binding. The tensor that the binding held is set aside until the binding is put back.
struct Was {
  Was(const Binding& is, const Undo& undo) : binding(is) {
    graph::Handle* const handle = handle_of(binding);
    is_held = handle && !handle->is_aside();
    if (handle) handle->set_aside_for_undo(undo.since());
  }
  void put_back(Binding& into) const {
    const std::weak_ptr<const void> named_by = binding.named_by.expired() ? into.named_by : binding.named_by;
    into = binding;
    into.named_by = named_by;
    if (graph::Handle* const handle = handle_of(into)) is_held ? handle->take_up() : handle->set_aside();
  }

  Binding binding;
  bool is_held = false;
};

// The undo log identifies a change by object and part. These are the parts of a scope.
size_t part_of_binding(size_t index) { return 2 * index; }
size_t part_of_hoisted(size_t index) { return 2 * index + 1; }

}  // namespace

void Scope::note(const Binding& binding, Undo& undo) {
  if (!undo.wanted() || bindings.empty() || &binding < &bindings.front() || &binding > &bindings.back()) return;
  const auto index = static_cast<size_t>(&binding - bindings.data());
  undo.add(
      shared_from_this(), part_of_binding(index),
      [this, index, was = Was(bindings[index], undo)] { was.put_back(bindings[index]); },
      [&] { return bytes_kept_by(bindings[index].value); });
}

void Scope::bind_again(Name name, HostValue&& value, Span span) {
  Binding* const bound = find_bound(name, bindings.size());
  if (bound && !parent && bound->named_by.expired()) {
    if (changes) note(*bound, *changes);
    *bound = {name, std::move(value), span};
    return;
  }
  if (bound && !captured) {
    // No code can see the old value any more. The binding moves to the end, to keep the order of declarations.
    bound->value = std::move(value);
    bound->span = span;
    bound->is_iterations_number = false;
    const auto place = bindings.begin() + (bound - bindings.data());
    if (place + 1 == bindings.end()) return;
    std::rotate(place, place + 1, bindings.end());
    rearranged();
    return;
  }
  const size_t index = bindings.size();
  const bool hides = bound != nullptr;  // the hidden binding stays for functions that see it, or for an undo
  const size_t hidden_index = hides ? static_cast<size_t>(bound - bindings.data()) : 0;
  if (bound && !parent) hidden_.push_back(hidden_index);
  bindings.emplace_back(name, std::move(value), span);
  bindings.may_repeat = bindings.may_repeat || hides;
  if (changes && changes->wanted()) {
    changes->add(
        shared_from_this(), part_of_binding(index),
        [this, index] {
          bindings.erase(bindings.begin() + static_cast<std::ptrdiff_t>(index));
          std::erase_if(hidden_, [&](size_t hidden) { return hidden >= index; });
          rearranged();
        },
        [&] { return hides ? bytes_kept_by(bindings[hidden_index].value) : 0; });
  }
  if (hidden_.size() >= next_look_) let_go_of_hidden();
}

void Scope::let_go_of_hidden() {
  std::erase_if(hidden_, [&](size_t index) {
    Binding& binding = bindings[index];
    if (!binding.named_by.expired() || find_bound(binding.name, bindings.size()) == &binding) return false;
    if (changes) note(binding, *changes);
    binding.value = None{};
    return true;
  });
  next_look_ = hidden_.size() + hidden_.size() / 4 + 2;
}

void Scope::declare(Name name, HostValue value, Span span) {
  Binding* const known = find_hoisted(name);
  const size_t index = known ? static_cast<size_t>(known - hoisted.data()) : hoisted.size();
  if (known) {
    if (changes)
      changes->add(shared_from_this(), part_of_hoisted(index), [this, index, was = *known] { hoisted[index] = was; });
    known->value = std::move(value);
    known->span = span;
    return;
  }
  hoisted.emplace_back(name, std::move(value), span);
  if (!changes) return;
  changes->add(shared_from_this(), part_of_hoisted(index), [this, index] {
    hoisted.erase(hoisted.begin() + static_cast<std::ptrdiff_t>(index));
    rearranged();
  });
}

std::shared_ptr<const Named> Scope::names(const std::unordered_set<Name>& names, size_t limit) {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent.get())
    if (scope->named || scope->called) return nullptr;
  auto held = std::make_shared<Named>();
  for (Name name : names) {
    const Found found = find(name, limit);
    if (!found.binding || found.scope->parent) continue;
    const std::vector<Binding>& own = found.scope->bindings;
    if (own.empty() || found.binding < own.data() || found.binding >= own.data() + own.size())
      continue;  // a function or model
    std::shared_ptr<const void> holds = found.binding->named_by.lock();
    if (!holds) found.binding->named_by = holds = std::make_shared<char>();
    held->push_back(std::move(holds));
  }
  return held;
}

void Scope::capture() {
  if (captured) return;
  std::vector<std::weak_ptr<Scope>>& all = outermost->captured_inside()->scopes;
  for (Scope* scope = this; scope != nullptr && !scope->captured; scope = scope->parent.get()) {
    scope->captured = true;
    if (scope->called) scope->named = scope->called->named;
    if (all.size() == all.capacity()) std::erase_if(all, [](const auto& other) { return other.expired(); });
    all.push_back(scope->weak_from_this());
  }
}

void Scope::release() {
  const std::vector<std::weak_ptr<Scope>> all = std::move(captured_inside()->scopes);
  for (const std::weak_ptr<Scope>& captured_scope : all) {
    if (const std::shared_ptr<Scope> scope = captured_scope.lock()) {
      scope->bindings.clear();
      scope->hoisted.clear();
      scope->rearranged();
    }
  }
}

void Scope::forget_indices() {
  index_.reset();
  hoisted_index_.reset();
}

Scope::Found Scope::find_anew(Name name, const ast::Slot& slot) {
  const Found found = find(name);
  if (!found.binding) return found;
  size_t depth = 0;
  for (const Scope* scope = this; scope != found.scope; scope = scope->parent.get()) ++depth;
  const Bindings& hoisted = found.scope->hoisted;
  const bool is_hoisted = !hoisted.empty() && found.binding >= &hoisted.front() && found.binding <= &hoisted.back();
  const auto index = static_cast<size_t>(found.binding - (is_hoisted ? hoisted : found.scope->bindings).data());
  if (depth < kHoisted && index <= UINT16_MAX)
    slot.set({static_cast<uint16_t>(depth + (is_hoisted ? kHoisted : 0)), static_cast<uint16_t>(index)});
  return found;
}

std::optional<size_t> Scope::last_place(std::unique_ptr<Index>& index, const std::vector<Binding>& all, Name name) {
  if (!index) index = std::make_unique<Index>();
  for (; index->count < all.size(); ++index->count) index->last[all[index->count].name] = index->count;
  const auto found = index->last.find(name);
  return found == index->last.end() ? std::nullopt : std::optional(found->second);
}

size_t Scope::limit_by_index(Name name, size_t limit) {
  const auto last = last_place(index_, bindings, name);
  return last ? std::min(limit, *last + 1) : 0;
}

Binding* Scope::find_hoisted(Name name) {
  if (hoisted.size() > kMany) {
    const auto place = last_place(hoisted_index_, hoisted, name);
    return place ? &hoisted[*place] : nullptr;
  }
  const auto found = std::find_if(hoisted.begin(), hoisted.end(), [&](const Binding& one) { return one.name == name; });
  return found == hoisted.end() ? nullptr : &*found;
}

void Scope::visible_names(std::vector<std::string>& names) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent.get()) {
    for (size_t i = scope->bindings.size(); i > 0; --i) names.push_back(scope->bindings[i - 1].name.str());
    for (const Binding& binding : scope->hoisted) names.push_back(binding.name.str());
  }
}

int64_t bytes_named_in(const Scope& scope) {
  int64_t bytes = 0;
  const auto add = [&](const HostValue& value) {
    if (const graph::Value* tensor = tensor_of(value))
      bytes = saturating_add(bytes, saturating_multiply(size_of(tensor->dims()), size_of(tensor->element())));
  };
  for (const Binding& binding : scope.bindings) {
    add(binding.value);
    if (auto* list = binding.value.as<ListPtr>())
      for (const HostValue& item : (*list)->items) add(item);
  }
  return bytes;
}

Binding* call_of(const Instance& instance) {
  static const Name kCall("call");
  return instance.scope->find_own(kCall);
}

}  // namespace mtf::eval
