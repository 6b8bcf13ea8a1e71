#include "eval/abstract.h"

#include <algorithm>

#include "plan/runtime.h"

namespace mtf::eval {

AbstractDomain::AbstractDomain(const plan::Execution* execution)
    : mode_(execution == nullptr                   ? Mode::kCheck
            : execution->runtime().knows_numbers() ? Mode::kRun
                                                   : Mode::kPlan) {}

HostValue AbstractDomain::after_doubtful_assignment(const HostValue& old, HostValue value, int bound_at) {
  if (is_check()) return bound_at < early_.weak_below ? merge(old, value) : value;
  const bool may_differ = is_number(value) || value.is<Text>() || value.is_unknown();
  if (!may_differ) return value;
  const UnknownKind a = unknown_kind(old), b = unknown_kind(value);
  if (old.is<None>()) return unknown(b);
  return unknown(a == b ? a : b == UnknownKind::kString ? b : UnknownKind::kNumber);
}

HostValue AbstractDomain::merge(const HostValue& a, const HostValue& b) {
  const graph::Value* x = tensor_of(a);
  const graph::Value* y = tensor_of(b);
  if (!is_check()) return guess(a, b).value_or(unknown(UnknownKind::kAny));
  HostValue joined = join(a, b);
  if (y && tensor_of(joined) && !(x && *x == *y)) becomes_one_of_several(*y);
  return joined;
}

HostValue AbstractDomain::merge_all(const std::vector<HostValue>& items) {
  const graph::Value* tensor = items.empty() ? nullptr : tensor_of(items[0]);
  if (tensor) becomes_one_of_several(*tensor);
  if (is_check()) return join_of(items);
  // One tensor stands for all items, whatever they are.
  return tensor || (!items.empty() && items[0].is_unknown()) ? items[0] : unknown(UnknownKind::kAny);
}

std::optional<HostValue> AbstractDomain::guess(const HostValue& a, const HostValue& b) {
  if (a.is_poison() || b.is_poison()) return HostValue(Poison{});
  if (a.is<None>() != b.is<None>()) return unknown(UnknownKind::kAny);
  const graph::Value* x = tensor_of(a);
  const graph::Value* y = tensor_of(b);
  if (x && y) {
    if (x->element() != y->element() || !same_set(x->dims(), y->dims())) return std::nullopt;
    if (*x != *y) becomes_one_of_several(*y);
    return b;
  }
  // In one branch the number became a tensor without dims: from here on the value is that tensor.
  if (x && x->dims().empty() && is_number(b)) return a;
  if (y && y->dims().empty() && is_number(a)) return b;
  const auto tensor = [this](const graph::Value* value) {
    if (value) becomes_one_of_several(*value);
    return value != nullptr;
  };
  if (is_open(a)) return tensor(y) ? b : a;
  if (is_open(b)) return tensor(x) ? a : b;
  if (x || y) return std::nullopt;
  return join(a, b);
}

void AbstractDomain::numbers_become_unknown(const NameSet& names, Scope& scope, Undo& undo) {
  for (Name name : names) {
    const auto found = scope.find(name);
    if (!found.binding) continue;
    HostValue& value = found.binding->value;
    if (auto* tensor = value.as<graph::Handle>()) becomes_one_of_several(tensor->value());
    if (!is_number(value) && !value.is<Text>()) continue;
    found.scope->note(*found.binding, undo);
    value = unknown(unknown_kind(value));
  }
}

void AbstractDomain::values_become_unknown(const NameSet& names, Scope& scope, Undo& undo) {
  numbers_become_unknown(names, scope, undo);
  for (Name name : names) {
    const auto found = scope.find(name);
    if (!found.binding || !found.binding->value.is<ListPtr>()) continue;
    found.scope->note(*found.binding, undo);
    found.binding->value = unknown(UnknownKind::kAny);
  }
}

void AbstractDomain::assigns(Binding& binding, Scope& owner, HostValue&& value, Undo& undo) {
  if (owner.uncertain < uncertainty())
    assigned({owner.shared_from_this(), static_cast<size_t>(&binding - owner.bindings.data()), binding.value});
  auto *before = binding.value.as<ListPtr>(), *now = value.as<ListPtr>();
  const bool is_extended = before && now && *before == *now;  // in place: undo restores the length
  if (!is_extended) owner.note(binding, undo);
  binding.value = std::move(value);
}

HostValue unknown_number(ElementType element) {
  return unknown(element == ElementType::kBool  ? UnknownKind::kBool
                 : element == ElementType::kI32 ? UnknownKind::kInt
                                                : UnknownKind::kFloat);
}

JoinedNames::JoinedNames(const NameSet& names, Scope& scope, AbstractDomain& domain, Undo& undo)
    : domain_(domain), undo_(undo) {
  for (Name name : names)
    if (auto found = scope.find(name); found.binding) names_.push_back(found);
}

void JoinedNames::add() {
  if (!any_) joined_.clear();
  for (size_t k = 0; k < names_.size(); ++k) {
    if (any_) joined_[k] = domain_.merge(joined_[k], names_[k].binding->value);
    else joined_.push_back(names_[k].binding->value);
  }
  any_ = true;
}

void JoinedNames::put() {
  for (size_t k = 0; k < names_.size(); ++k) {
    names_[k].scope->note(*names_[k].binding, undo_);
    names_[k].binding->value = std::move(joined_[k]);
  }
  any_ = false;
}

Ways::Ways(const NameSet& names, Scope& scope, AbstractDomain& domain, Undo& undo)
    : joined_(names, scope, domain, undo), domain_(domain), undo_(undo) {
  for (Name name : names)
    if (auto found = scope.find(name); found.binding) before_.emplace_back(found.binding, found.binding->value);
}

void Ways::put_back() {
  for (auto& [binding, value] : before_) binding->value = value;
}

void Ways::walk_nothing() {
  put_back();
  joined_.add();
}

void Ways::finish() {
  if (joined_.any()) joined_.put();
  else put_back();
  join_others();
  for (auto& [name, left] : ended_) {
    Binding& binding = name.scope->bindings[name.index];
    domain_.assigns(binding, *name.scope, domain_.merge(binding.value, left), undo_);
  }
}

void Ways::join_others() {
  for (auto& [name, left] : left_) {
    Binding& binding = name.scope->bindings[name.index];
    const bool is_joined =
        std::any_of(before_.begin(), before_.end(), [&](const auto& before) { return before.first == &binding; });
    if (name.scope->uncertain < domain_.uncertainty()) domain_.assigned(name);
    if (is_joined) continue;
    name.scope->note(binding, undo_);
    binding.value = domain_.merge(binding.value, left);
  }
}

}  // namespace mtf::eval
