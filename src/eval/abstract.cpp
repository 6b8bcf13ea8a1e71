#include "eval/abstract.h"

#include <algorithm>

#include "plan/runtime.h"

namespace mtf::eval {

AbstractDomain::AbstractDomain(const plan::Execution* execution)
    : mode_(execution == nullptr                   ? Mode::kCheck
            : execution->runtime().knows_numbers() ? Mode::kRun
                                                   : Mode::kPlan) {}

HostValue AbstractDomain::after_assignment(const HostValue& old, HostValue value, int bound_at) const {
  const bool may_differ = is_number(value) || value.is<Text>() || value.is_unknown();
  if (!is_abstract() || bound_at >= uncertainty_ || !may_differ) return value;
  const UnknownKind a = unknown_kind(old), b = unknown_kind(value);
  if (old.is<None>()) return unknown(b);
  return unknown(a == b ? a : b == UnknownKind::kString ? b : UnknownKind::kNumber);
}

void numbers_become_unknown(const NameSet& names, Scope& scope) {
  for (Name name : names) {
    const auto found = scope.find(name);
    if (!found.binding) continue;
    HostValue& value = found.binding->value;
    if (is_number(value) || value.is<Text>()) value = unknown(unknown_kind(value));
    if (auto* tensor = value.as<graph::Handle>()) tensor->value().node->one_of_several = true;
  }
}

void values_become_unknown(const NameSet& names, Scope& scope) {
  numbers_become_unknown(names, scope);
  for (Name name : names)
    if (auto found = scope.find(name); found.binding && found.binding->value.is<ListPtr>())
      found.binding->value = unknown(UnknownKind::kAny);
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

JoinedNames::JoinedNames(const NameSet& names, Scope& scope, Span condition, Findings& findings)
    : condition_(condition), findings_(findings) {
  for (Name name : names)
    if (auto found = scope.find(name); found.binding) bindings_.push_back(found.binding);
}

void JoinedNames::add() {
  if (!any_) joined_.clear();
  for (size_t k = 0; k < bindings_.size(); ++k) {
    if (any_) join(k, bindings_[k]->value);
    else joined_.push_back(bindings_[k]->value);
  }
  any_ = true;
}

void JoinedNames::put() {
  for (size_t k = 0; k < bindings_.size(); ++k) bindings_[k]->value = std::move(joined_[k]);
  any_ = false;
}

void JoinedNames::join(size_t name, const HostValue& left) {
  HostValue& joined = joined_[name];
  if (joined.is<None>() != left.is<None>()) {  // a name without a value yet, and it with its first one
    joined = unknown(UnknownKind::kAny);
    return;
  }
  if (auto merged = merge(joined, left)) {
    joined = std::move(*merged);
    return;
  }
  const Binding& binding = *bindings_[name];
  Diagnostic diagnostic(Kind::branch_types_differ, condition_,
                        fmt::format("this is known when the program runs; `{}` is then {}, or {}", binding.name.text(),
                                    describe(joined), describe(left)));
  diagnostic.related(binding.span, "declared here");
  joined = HostValue(Poison{});
  findings_.report(std::move(diagnostic));
}

Ways::Ways(const NameSet& names, Scope& scope, Span condition, AbstractDomain& domain, Undo& undo, Findings& findings)
    : joined_(names, scope, condition, findings), domain_(domain), undo_(undo) {
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
    undo_.add(name.scope, name.index, [scope = name.scope.get(), index = name.index, before = binding.value] {
      scope->bindings[index].value = before;
    });
    std::optional<HostValue> merged;
    if (binding.value.is<None>() == left.is<None>()) merged = merge(binding.value, left);
    binding.value = merged ? std::move(*merged) : unknown(UnknownKind::kAny);
  }
}

}  // namespace mtf::eval
