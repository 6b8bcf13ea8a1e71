#include "eval/iteration_values.h"

#include <algorithm>
#include <utility>

#include "eval/abstract.h"
#include "ops/builder.h"
#include "ops/loop.h"
#include "support/diagnostics.h"
#include "support/restore.h"
#include "syntax/walk.h"

namespace mtf::eval {
namespace {

/// Returns the tensor with `over` as its first dim.
graph::Value with_first(ops::Builder& builder, const graph::Value& value, const Dim& over) {
  if (value.dims()[0].name == over.name) return value;
  Dims dims = value.dims();
  std::stable_partition(dims.begin(), dims.end(), [&](const Dim& dim) { return dim.name == over.name; });
  const Restore ours(builder.written, false);
  return builder.broadcast(value, dims);
}

const ast::FunctionFacts& facts_of(const Function& function) { return **function.text.facts; }
const ast::FunctionFacts& facts_of(const ModelClass& model) { return *model.declaration->facts; }

template <typename T>
size_t seen_by(const T& function) {
  return function.reached ? function.visible : function.scope->bindings.size();
}

/// Returns the names that a function captures, sorted, so that the order is the same on every rank.
std::vector<Name> sorted_names(const ast::FunctionFacts& facts) {
  std::vector<Name> sorted(facts.captured.begin(), facts.captured.end());
  std::sort(sorted.begin(), sorted.end(), [](Name a, Name b) { return a.text() < b.text(); });
  return sorted;
}

bool belongs_to(const Scope& scope, Name over) {
  return std::find(scope.stacked_over.begin(), scope.stacked_over.end(), over) != scope.stacked_over.end();
}

/// Returns the index of a binding in `bindings`, or nothing if it is not one of them.
std::optional<size_t> index_in(const std::vector<Binding>& bindings, const Binding* binding) {
  if (bindings.empty() || binding < bindings.data() || binding >= bindings.data() + bindings.size())
    return std::nullopt;
  return static_cast<size_t>(binding - bindings.data());
}

}  // namespace

Dims dims_in_chunks(const Dim& over, int64_t chunks) {
  return {{over.name.followed_by("'"), chunks}, {over.name, over.size / chunks}};
}

std::string part_of(std::string_view what, size_t i) { return fmt::format("{}[{}]", what, i); }

// ---- values that enter an iteration ---------------------------------------------------------------------------------

PlacedValue::~PlacedValue() {
  for (const std::unique_ptr<Copy>& copy : copies_)
    for (Bindings* names : {&copy->own->bindings, &copy->own->hoisted})
      for (Binding& binding : *names) binding.value = None{};
}

HostValue PlacedValue::of(const HostValue& value, std::string_view what) {
  if (auto* list = value.as<ListPtr>()) {
    std::vector<HostValue> items;
    for (size_t i = 0; i < (*list)->items.size(); ++i) items.push_back(of((*list)->items[i], part_of(what, i)));
    return (*list)->tuple ? make_tuple(std::move(items)) : make_list(std::move(items));
  }
  if (value.is<InstancePtr>()) return within(value);
  const graph::Value* tensor = tensor_of(value);
  if (!tensor)
    fail(Kind::type_mismatch, span_,
         "expected {} to be a tensor, a stacked model, or a tuple or list of such, found {}", what, describe(value));
  const int dim = find_dim(tensor->dims(), over_.name);
  if (dim < 0 || tensor->dims()[dim].size != over_.size)
    fail(Kind::shape_mismatch, span_, "expected {} to have the dim {}, found {}", what, to_string(over_),
         to_string(tensor->type()));
  return place_of(*tensor);
}

bool PlacedValue::is_in_chunks(const Dims& dims) const {
  return dims.size() > 1 && dims[0].size > 0 && over_.size % dims[0].size == 0 &&
         Dims(dims.begin(), dims.begin() + 2) == dims_in_chunks(over_, dims[0].size);
}

graph::Value PlacedValue::place_of(const graph::Value& tensor) {
  ops::Builder& builder = caller_.parts.builder;
  if (is_in_chunks(tensor.dims())) {
    const Restore ours(builder.written, false);
    Dims dims(tensor.dims().begin() + 1, tensor.dims().end());
    dims[0] = over_;
    all.push_back(builder.reshape(tensor, dims));
  } else {
    all.push_back(with_first(builder, tensor, over_));
  }
  const graph::Value& value = all.back();
  TensorType type = value.type();
  Sharding lies = value.sharding();
  type.dims.erase(type.dims.begin());
  lies.dims.erase(lies.dims.begin());
  // The leaf belongs to no value table. So no cut tries to compute it, even if a function holds it after the iteration.
  leaves.push_back(ops::inside_of(builder).constant(type, {lies, value.inherited() & lies.split(), value.mesh(), {}}));
  leaves.back().node->name = tensor.node->name.empty() ? Name("x") : tensor.node->name;
  return leaves.back();
}

HostValue PlacedValue::within(const HostValue& value) {
  if (auto* tensor = value.as<graph::Handle>()) {
    if (!has_dim_first(tensor->value().dims())) return value;
    return place_of(tensor->value());
  }
  if (auto* found = value.as<VariablePtr>()) return variable(*found);
  if (auto* items = value.as<ListPtr>()) return list(*items);
  if (auto* model = value.as<InstancePtr>()) return instance(*model);
  if (auto* function = value.as<FunctionPtr>()) return written_in(*function);
  if (auto* model = value.as<ModelClassPtr>()) return written_in(*model);
  return value;
}

HostValue PlacedValue::made(const void* from, HostValue copy, const void* copied, const HostValue& original) {
  originals_[copied] = original;
  return known_[from] = std::move(copy);
}

HostValue PlacedValue::variable(const VariablePtr& variable) {
  if (!has_dim_first(variable->type.dims)) return variable;
  if (const auto at = known_.find(variable.get()); at != known_.end()) return at->second;
  auto own = std::make_shared<Variable>(*variable);
  own->current = place_of(variable->current.value());
  all_of.push_back(all.size() - 1);
  own->type.dims.erase(own->type.dims.begin(), own->type.dims.begin() + (is_in_chunks(own->type.dims) ? 2 : 1));
  own->is_assigned = false;
  variables.push_back(own);
  stacked.push_back(variable);
  return made(variable.get(), own, own.get(), variable);
}

HostValue PlacedValue::list(const ListPtr& list) {
  if (const auto at = known_.find(list.get()); at != known_.end()) return at->second;
  std::vector<HostValue> items;
  for (const HostValue& item : list->items) items.push_back(within(item));
  HostValue own = list->tuple ? make_tuple(std::move(items)) : make_list(std::move(items));
  const void* copied = own.as<ListPtr>()->get();
  return made(list.get(), std::move(own), copied, list);
}

HostValue PlacedValue::instance(const InstancePtr& instance) {
  if (const auto at = known_.find(instance.get()); at != known_.end()) return at->second;
  auto own = std::make_shared<Instance>();
  made(instance.get(), own, own.get(), instance);
  Copy& copy = copy_of(instance->scope);
  own->scope = copy.own;
  own->model = instance->model;
  if (is_copied(instance->model->scope.get())) own->model = *written_in(instance->model).template as<ModelClassPtr>();
  for (size_t i = 0; i < copy.bindings.size(); ++i) place_binding(copy, i);
  for (size_t i = 0; i < copy.hoisted.size(); ++i) place_hoisted(copy, i);
  return own;
}

template <typename T>
HostValue PlacedValue::written_in(const std::shared_ptr<T>& what) {
  if (!is_copied(what->scope.get())) return what;
  if (const auto at = known_.find(what.get()); at != known_.end()) return at->second;
  auto own = std::make_shared<T>(*what);
  made(what.get(), own, own.get(), what);
  Copy& copy = copy_of(what->scope);
  own->scope = copy.own;
  const auto is_placed = [](bool each) { return each; };
  const bool all_placed = std::all_of(copy.bindings.begin(), copy.bindings.end(), is_placed);
  if (all_placed && !is_copied(what->scope->parent.get())) return own;
  for (const Name name : sorted_names(facts_of(*what))) {
    const Scope::Found found = copy.own->find(name, seen_by(*what));
    const auto at = copies_by_scope_.find(found.scope);
    if (!found.binding || at == copies_by_scope_.end()) continue;
    Copy& of_name = *at->second;
    if (const auto index = index_in(of_name.own->bindings, found.binding)) place_binding(of_name, *index);
    else if (const auto declared = index_in(of_name.own->hoisted, found.binding)) place_hoisted(of_name, *declared);
  }
  return own;
}

bool PlacedValue::is_copied(const Scope* scope) const {
  return scope != nullptr && (copies_by_scope_.count(scope) > 0 || belongs_to(*scope, over_.name));
}

PlacedValue::Copy& PlacedValue::copy_of(const ScopePtr& scope) {
  if (const auto at = copies_by_scope_.find(scope.get()); at != copies_by_scope_.end()) return *at->second;
  ScopePtr parent = scope->parent;
  if (is_copied(parent.get())) parent = copy_of(parent).own;
  Copy& copy = *copies_.emplace_back(std::make_unique<Copy>());
  copy.was = scope;
  copy.own = std::make_shared<Scope>(std::move(parent), scope->parent_limit, caller_.parts.domain.uncertainty());
  copy.own->model = scope->model;
  copy.own->named = scope->named;
  copy.own->captured = scope->captured;
  copy.own->stacked_over = scope->stacked_over;
  copy.may_assign = std::erase(copy.own->stacked_over, over_.name) > 0;
  if (!copy.may_assign) copy.own->number = scope->number;  // an outer scope: its names cannot be assigned
  copy.own->bindings = scope->bindings;
  copy.own->hoisted = scope->hoisted;
  copy.bindings.resize(scope->bindings.size());
  copy.hoisted.resize(scope->hoisted.size());
  for (const Binding& binding : scope->bindings) copy.began.push_back(binding.value);
  copies_by_scope_[scope.get()] = copies_by_scope_[copy.own.get()] = &copy;
  return copy;
}

void PlacedValue::place_binding(Copy& copy, size_t index) {
  if (copy.bindings[index]) return;
  copy.bindings[index] = true;
  HostValue value = within(copy.was->bindings[index].value);
  copy.began[index] = copy.own->bindings[index].value = std::move(value);
}

void PlacedValue::place_hoisted(Copy& copy, size_t index) {
  if (copy.hoisted[index]) return;
  copy.hoisted[index] = true;
  copy.own->hoisted[index].value = within(copy.was->hoisted[index].value);
}

const HostValue* PlacedValue::original(const HostValue& copy) const {
  const void* copied = nullptr;
  if (auto* variable = copy.as<VariablePtr>()) copied = variable->get();
  else if (auto* items = copy.as<ListPtr>()) copied = items->get();
  else if (auto* model = copy.as<InstancePtr>()) copied = model->get();
  else if (auto* function = copy.as<FunctionPtr>()) copied = function->get();
  else if (auto* model_class = copy.as<ModelClassPtr>()) copied = model_class->get();
  const auto at = originals_.find(copied);
  return at == originals_.end() ? nullptr : &at->second;
}

ScopePtr PlacedValue::original(const Scope& copy) const {
  const auto at = copies_by_scope_.find(&copy);
  return at != copies_by_scope_.end() && at->second->own.get() == &copy ? at->second->was : nullptr;
}

std::vector<PlacedValue::AssignedInIteration> PlacedValue::assigned_names() const {
  std::vector<AssignedInIteration> assigned;
  for (const std::unique_ptr<Copy>& copy : copies_)
    for (size_t i = 0; i < copy->began.size() && copy->may_assign; ++i)
      if (HostValue& now = copy->own->bindings[i].value; now.data != copy->began[i].data)
        assigned.push_back({copy->was, i, &now});
  return assigned;
}

// ---- values that leave an iteration ---------------------------------------------------------------------------------

void LeftByIteration::add(HostValue& value) {
  waiting_.push_back(&value);
  while (!waiting_.empty()) {
    HostValue* const next = waiting_.back();
    waiting_.pop_back();
    if (seen_.insert(next).second) visit(*next);
  }
}

void LeftByIteration::visit(HostValue& value) {
  if (const HostValue* original = placed_ ? placed_->original(value) : nullptr) {
    value = HostValue(*original);
  } else if (auto* tensor = value.as<graph::Handle>()) {
    if (tensor->value().node->id >= iteration_.first) tensors.push_back(&value);
  } else if (auto* variable = value.as<VariablePtr>()) {
    if ((*variable)->serial > iteration_.last_variable && seen_.insert(variable->get()).second)
      variables.push_back(*variable);
  } else if (auto* list = value.as<ListPtr>()) {
    if (seen_.insert(list->get()).second)
      for (HostValue& item : (*list)->items) waiting_.push_back(&item);
  } else if (auto* instance = value.as<InstancePtr>()) {
    Scope& scope = *(*instance)->scope;
    if (!is_of_iteration(scope) || !seen_.insert(instance->get()).second) return;
    const ModelClass& model = *(*instance)->model;
    add_named(&model, facts_of(model), model.scope, seen_by(model));
    if (!belongs_to(scope, over_.name)) scope.stacked_over.push_back(over_.name);
    for (Binding& binding : scope.bindings) waiting_.push_back(&binding.value);
  } else if (auto* function = value.as<FunctionPtr>()) {
    add_named(function->get(), facts_of(**function), (*function)->scope, seen_by(**function));
  } else if (auto* model = value.as<ModelClassPtr>()) {
    add_named(model->get(), facts_of(**model), (*model)->scope, seen_by(**model));
  }
}

void LeftByIteration::add_named(const void* what, const ast::FunctionFacts& facts, const ScopePtr& scope,
                                size_t visible) {
  if (!is_of_iteration(*scope) || !seen_.insert(what).second) return;
  for (Scope* each = scope.get(); each && is_of_iteration(*each); each = each->parent.get()) {
    if (!belongs_to(*each, over_.name)) each->stacked_over.push_back(over_.name);
    if (ScopePtr original = placed_ && each->parent ? placed_->original(*each->parent) : nullptr)
      each->parent = std::move(original);
  }
  for (const Name name : sorted_names(facts)) {
    const Scope::Found found = scope->find(name, visible);
    if (found.binding && is_of_iteration(*found.scope)) waiting_.push_back(&found.binding->value);
  }
}

void LeftByIteration::sort() {
  std::sort(variables.begin(), variables.end(),
            [](const VariablePtr& a, const VariablePtr& b) { return a->serial < b->serial; });
}

}  // namespace mtf::eval
