#include "eval/evaluator.h"
#include "graph/layouts.h"
#include "support/text.h"

namespace mtf {

Value Evaluator::converted_for(const HostValue& value, const TensorType& type, Span span, std::string_view what,
                               Span declared) {
  auto mismatch = [&](std::string help) {
    Diagnostic diagnostic(Kind::assign_type_changed, span,
                          fmt::format("expected {}, which is what {} is, found {}", to_string(type), what, describe(value)));
    diagnostic.related(declared, "declared here").help(std::move(help));
    fail(std::move(diagnostic));
  };
  const Value* tensor = tensor_of(value);
  if (!tensor) {
    if (!is_number(value)) mismatch("");
    if (!type.dims.empty()) {
      std::vector<std::string> names;
      for (const Dim& dim : type.dims) names.push_back(dim.name.str());
      mismatch(fmt::format("`fill([{}], …)` makes a tensor of this shape", join(names, ", ")));
    }
    return number_tensor(value, type.element);
  }
  if (!same_set(tensor->dims(), type.dims)) mismatch("");
  if (tensor->element() != type.element) mismatch(fmt::format("`cast(…, {})` converts it", name(type.element)));
  Value result = *tensor;
  builder.span = span;
  if (result.dims() != type.dims) result = builder.broadcast(result, type.dims);
  return result;
}

void Evaluator::assign_place(const PlacePtr& place, const HostValue& value, Span span, Span statement) {
  if (value.is_poison() || (value.is_unknown() && unknown_kind(value) == UnknownKind::kAny)) return;
  Value converted = converted_for(value, place->type, span,
                                  fmt::format("the {} `{}`", place->trainable ? "param" : "state", place->path), place->span);
  builder.span = statement;
  Value next = builder.assigned(converted, place->sharding, place->mesh);
  next.node->name = Name(place->path);
  next.node->place = place->serial;
  const Handle before = place->current;
  if (undo) {
    undo->add(place.get(), 0, [place, before] {
      before.value().node->ended = nullptr;
      place->current = before;
    });
  }
  before.value().node->ended = std::make_shared<const HistoryEnd>(HistoryEnd{Name(place->path), statement, {}, place->serial});
  place->current = std::move(next);
  if (!watched_.empty()) watched_.back().values.emplace_back(place);
  places_changed_ = true;
}

void Evaluator::assign_binding(Binding& binding, Scope& owner, HostValue value, Span span, Span statement) {
  const HostValue& old = binding.value;
  if (auto* place = old.as<PlacePtr>()) {
    PlacePtr keep = *place;
    assign_place(keep, value, span, statement);
    return;
  }
  if (old.is_poison()) return;
  const std::string name = binding.name.str();
  if (old.is<Dim>() || old.is<FunctionPtr>() || old.is<ModelClassPtr>() || old.is<ModulePtr>() || old.is<OperationPtr>() ||
      old.is<BuiltinPtr>() || old.is<MeshPtr>() || old.is<LayoutPtr>()) {
    fail(Diagnostic(Kind::assign_not_a_place, span, fmt::format("`{}` is {}", name, describe(old)))
             .related(binding.span, "declared here")
             .help(fmt::format("`let {} = …` hides it from there on", name)));
  }
  if (undo) {
    const auto index = static_cast<size_t>(&binding - owner.bindings.data());
    undo->add(&owner, index, [scope = owner.shared_from_this(), index, before = old] { scope->bindings[index].value = before; });
  }
  if (value.is_poison()) {
    binding.value = std::move(value);
    return;
  }
  // What a name is bound to directly stands for a place only after `let`; here the value is taken.
  if (auto* place = value.as<PlacePtr>()) value = (*place)->current;
  const Value* tensor = tensor_of(value);
  if (const Value* old_tensor = tensor_of(old)) {
    if (value.is_unknown() && unknown_kind(value) == UnknownKind::kAny) return;
    Value next = converted_for(value, old_tensor->type(), span, "`" + name + "`", binding.span);
    // Also where nothing moves it is a value of its own: what holds the other one has another gradient.
    next = builder.laid_like(next, *old_tensor);
    if (next == *tensor_of(value)) next = builder.add("copy", {next});
    if (next.node->name.empty()) next.node->name = binding.name;
    binding.value = std::move(next);
    watch_here(binding.value);
    return;
  }
  if (tensor) {
    const bool number = is_number(old);
    if (!number || !tensor->dims().empty()) {
      if (!(old.is_unknown() && unknown_kind(old) == UnknownKind::kAny)) {
        Diagnostic diagnostic(Kind::assign_type_changed, span,
                              fmt::format("`{}` is {}, found {}", name, describe(old), describe(value)));
        diagnostic.related(binding.span, "declared here")
            .help(number ? "a number can only become a tensor without dimensions; start with `zeros(…)`" : "");
        fail(std::move(diagnostic));
      }
    }
    if (tensor->node->name.empty()) tensor->node->name = binding.name;
    binding.value = std::move(value);
    watch_here(binding.value);
    return;
  }
  watch_here(value);
  const bool list_for_list = old.is<ListPtr>() && value.is<ListPtr>();
  if (!list_for_list && !merge(old, value)) {
    fail(Diagnostic(Kind::assign_type_changed, span, fmt::format("`{}` is {}, found {}", name, describe(old), describe(value)))
             .related(binding.span, "declared here"));
  }
  if (abstract() && owner.uncertain < uncertain && !list_for_list && (is_number(value) || value.is<Text>() || value.is_unknown())) {
    const UnknownKind a = unknown_kind(old), b = unknown_kind(value);
    binding.value = unknown(a == b ? a : b == UnknownKind::kString ? b : UnknownKind::kNumber);
    return;
  }
  binding.value = std::move(value);
}

namespace {

/// The value of `l := l + […]`, where l is a list: if nobody else holds it, it is extended instead of copied. Nothing if
/// the statement is another one.
std::optional<HostValue> extended(Evaluator& evaluator, const ast::AssignStmt& stmt, Name name, const ScopePtr& scope) {
  auto* sum = stmt.value->as<ast::BinaryExpr>();
  if (!sum || sum->op != ast::BinaryOp::kAdd || !sum->right->as<ast::ListExpr>() || evaluator.undo) return std::nullopt;
  auto* left = sum->left->as<ast::NameExpr>();
  auto* held = left && left->name == name ? scope->find(name).binding->value.as<ListPtr>() : nullptr;
  if (!held || (*held)->tuple) return std::nullopt;
  ListPtr list = *held;
  HostValue more = evaluator.evaluate(*sum->right, scope);
  auto* added = more.as<ListPtr>();
  if (!added) return more;  // in error, or unknown
  check_length(list->items.size() + (*added)->items.size(), "a list", stmt.value->span);
  auto* now = scope->find(name).binding->value.as<ListPtr>();
  const bool is_ours = now && *now == list && list.use_count() == 2;
  if (!is_ours) list = std::make_shared<List>(*list);
  list->items.insert(list->items.end(), (*added)->items.begin(), (*added)->items.end());
  return list;
}

}  // namespace

void Evaluator::assign(const ast::AssignStmt& stmt, const ScopePtr& scope) {
  const Span statement = cover(stmt.target->span, stmt.value->span);
  if (auto* name = stmt.target->as<ast::NameExpr>()) {
    if (!scope->find(name->name).binding) {
      std::string help = did_you_mean(name->name.text(), visible_names(scope.get()));
      fail(Diagnostic(Kind::assign_undefined, stmt.target->span, fmt::format("there is no `{}` here", name->name.text()))
               .help(help.empty() ? fmt::format("`let {} = …` declares it", name->name.text()) : help));
    }
    std::optional<HostValue> longer = extended(*this, stmt, name->name, scope);
    HostValue value = longer ? std::move(*longer) : evaluate(*stmt.value, scope);
    auto found = scope->find(name->name);
    builder.span = statement;
    assign_binding(*found.binding, *found.scope, std::move(value), stmt.value->span, statement);
    return;
  }
  if (auto* attribute = stmt.target->as<ast::AttributeExpr>()) {
    HostValue object = evaluate(*attribute->object, scope);
    HostValue value = evaluate(*stmt.value, scope);
    if (object.is_poison() || object.is_unknown()) return;
    auto* instance = object.as<InstancePtr>();
    if (!instance) {
      fail(Kind::assign_not_a_place, stmt.target->span, "expected a param, state or name of a model's instance, found {}",
           describe(object));
    }
    Binding* binding = (*instance)->scope->find_own(attribute->attribute.name);
    if (!binding) {
      this->attribute(object, attribute->attribute, scope);  // fails with a suggestion
      fail(Kind::assign_not_a_place, stmt.target->span, "`{}` cannot be assigned", attribute->attribute.name.text());
    }
    builder.span = statement;
    assign_binding(*binding, *(*instance)->scope, std::move(value), stmt.value->span, statement);
    return;
  }
  HostValue element = evaluate(*stmt.target, scope);
  HostValue value = evaluate(*stmt.value, scope);
  if (element.is_poison() || element.is_unknown()) return;
  auto* place = element.as<PlacePtr>();
  if (!place) {
    fail(Diagnostic(Kind::assign_not_a_place, stmt.target->span,
                    fmt::format("expected an element that is a param or state, found {}", describe(element)))
             .help("elements of lists and tensors do not change; make a new one"));
  }
  assign_place(*place, value, stmt.value->span, statement);
}

}  // namespace mtf
