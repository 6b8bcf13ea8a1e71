#include "eval/abstract.h"

#include <algorithm>

#include "plan/runtime.h"

namespace mtf::eval {

AbstractDomain::AbstractDomain(const plan::Execution* execution)
    : mode_(execution == nullptr                   ? Mode::kCheck
            : execution->runtime().knows_numbers() ? Mode::kRun
                                                   : Mode::kPlan) {}

HostValue AbstractDomain::after_doubtful_assignment(const HostValue& old, HostValue value) const {
  const bool may_differ = is_number(value) || value.is<Text>() || value.is_unknown();
  if (!is_abstract() || !may_differ) return value;
  const UnknownKind a = unknown_kind(old), b = unknown_kind(value);
  if (old.is<None>()) return unknown(b);
  return unknown(a == b ? a : b == UnknownKind::kString ? b : UnknownKind::kNumber);
}

std::optional<HostValue> AbstractDomain::merge(const HostValue& a, const HostValue& b) {
  if (a.is_poison() || b.is_poison()) return HostValue(Poison{});
  const graph::Value* x = tensor_of(a);
  const graph::Value* y = tensor_of(b);
  if (x && y) {
    if (x->element() != y->element() || !same_set(x->dims(), y->dims())) return std::nullopt;
    if (*x != *y) becomes_one_of_several(*y);
    return b;
  }
  // A number that in one branch became a tensor without dims: from here on it is one.
  if (x && x->dims().empty() && is_number(b)) return a;
  if (y && y->dims().empty() && is_number(a)) return b;
  // Of what is entirely unknown the other is the better guess; the run will tell.
  const auto guess = [this](const graph::Value* tensor) {
    if (tensor) becomes_one_of_several(*tensor);
    return tensor != nullptr;
  };
  if (a.is_unknown() && unknown_kind(a) == UnknownKind::kAny) return guess(y) ? b : a;
  if (b.is_unknown() && unknown_kind(b) == UnknownKind::kAny) return guess(x) ? a : b;
  if (x || y) return std::nullopt;
  if (is_number(a) && is_number(b)) {
    if (a.data == b.data) return a;
    const UnknownKind k = unknown_kind(a), l = unknown_kind(b);
    return unknown(k == l ? k : UnknownKind::kNumber);
  }
  if (unknown_kind(a) == UnknownKind::kString && unknown_kind(b) == UnknownKind::kString) {
    return a.data == b.data ? a : unknown(UnknownKind::kString);
  }
  if (a.data.index() != b.data.index()) return std::nullopt;
  if (auto same = equal(a, b); same && *same) return b;
  return unknown(UnknownKind::kAny);
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

HostValue unknown_number(ElementType element) {
  return unknown(element == ElementType::kBool  ? UnknownKind::kBool
                 : element == ElementType::kI32 ? UnknownKind::kInt
                                                : UnknownKind::kFloat);
}

std::vector<std::optional<UnknownKind>> kinds_of(const NameSet& names, Scope& scope) {
  std::vector<std::optional<UnknownKind>> kinds;
  for (Name name : names) {
    const auto found = scope.find(name);
    if (!found.binding) continue;
    const HostValue& value = found.binding->value;
    kinds.push_back(value.is<None>() ? std::nullopt : std::optional(unknown_kind(value)));
  }
  return kinds;
}

JoinedNames::JoinedNames(const NameSet& names, Scope& scope, Span condition, AbstractDomain& domain, Undo& undo,
                         Findings& findings)
    : condition_(condition), domain_(domain), undo_(undo), findings_(findings) {
  for (Name name : names)
    if (auto found = scope.find(name); found.binding) names_.push_back(found);
}

void JoinedNames::add() {
  if (!any_) joined_.clear();
  for (size_t k = 0; k < names_.size(); ++k) {
    if (any_) join(k, names_[k].binding->value);
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

void JoinedNames::join(size_t name, const HostValue& left) {
  HostValue& joined = joined_[name];
  if (joined.is<None>() != left.is<None>()) {  // a name without a value yet, and it with its first one
    joined = unknown(UnknownKind::kAny);
    return;
  }
  if (auto merged = domain_.merge(joined, left)) {
    joined = std::move(*merged);
    return;
  }
  const Binding& binding = *names_[name].binding;
  Diagnostic diagnostic(Kind::branch_types_differ, condition_,
                        fmt::format("this is known when the program runs; `{}` is then {}, or {}", binding.name.text(),
                                    describe(joined), describe(left)));
  diagnostic.related(binding.span, "declared here");
  joined = HostValue(Poison{});
  findings_.report(std::move(diagnostic));
}

Ways::Ways(const NameSet& names, Scope& scope, Span condition, AbstractDomain& domain, Undo& undo, Findings& findings)
    : joined_(names, scope, condition, domain, undo, findings), domain_(domain), undo_(undo) {
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
}

void Ways::join_others() {
  for (auto& [name, left] : left_) {
    Binding& binding = name.scope->bindings[name.index];
    const bool is_joined =
        std::any_of(before_.begin(), before_.end(), [&](const auto& before) { return before.first == &binding; });
    domain_.assigned(name);
    if (is_joined) continue;
    name.scope->note(binding, undo_);
    std::optional<HostValue> merged;
    if (binding.value.is<None>() == left.is<None>()) merged = domain_.merge(binding.value, left);
    binding.value = merged ? std::move(*merged) : unknown(UnknownKind::kAny);
  }
}

}  // namespace mtf::eval
