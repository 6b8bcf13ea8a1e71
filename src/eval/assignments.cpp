// `:=` for names, for parts of instances, and for params and states.
#include "eval/evaluator.h"
#include "eval/limits.h"
#include "eval/span_table.h"
#include "ops/type_rules.h"
#include "support/text.h"

namespace mtf::eval {

namespace {

/// True if a name of an instance is `none` because its model declares it as a param or state without a value.
bool is_left_out(const Binding& binding, const Scope& owner) {
  if (owner.model == nullptr) return false;
  const std::vector<ast::Stmt>& statements = owner.model->body.statements;
  return std::any_of(statements.begin(), statements.end(), [&](const ast::Stmt& stmt) {
    auto* param = stmt.as<ast::ParamStmt>();
    return param != nullptr && param->name.span == binding.span;
  });
}

}  // namespace

void Evaluator::assign_binding(Binding& binding, Scope& owner, HostValue value, Span span, Span statement,
                               bool extends) {
  const HostValue& old = binding.value;
  if (auto* variable = old.as<VariablePtr>()) {
    VariablePtr keep = *variable;
    variables.assign(keep, value, span, statement);
    return;
  }
  if (old.is_poison()) return;
  for (Iteration* iteration = cuts.iteration(); iteration && owner.number < iteration->first;
       iteration = iteration->outer) {
    auto* list = old.as<ListPtr>();
    if (!extends || !list || !value.is<ListPtr>() || iteration->name != "scan")
      cuts.refuse_in_iteration(statement, fmt::format("`{}`, a name from outside, is assigned", binding.name.text()));
    const auto same = [&](const Iteration::Extended& each) {
      return each.scope.get() == &owner && each.name == binding.name;
    };
    if (std::none_of(iteration->extended.begin(), iteration->extended.end(), same))
      iteration->extended.push_back({owner.shared_from_this(), binding.name, (*list)->items.size()});
  }
  if (binding.is_setting) {
    fail(Diagnostic(Kind::assign_not_a_place, span, fmt::format("`{}` is a setting", binding.name.text()))
             .related(binding.span, "declared here")
             .help(fmt::format("`with {} = … {{ … }}` changes it for what runs inside", binding.name.text())));
  }
  if (old.is<Dim>() || old.is<FunctionPtr>() || old.is<ModelClassPtr>() || old.is<ModulePtr>() ||
      old.is<OperationPtr>() || old.is<BuiltinPtr>() || old.is<MeshPtr>() || old.is<LayoutPtr>()) {
    fail(Diagnostic(Kind::assign_not_a_place, span, fmt::format("`{}` is {}", binding.name.text(), describe(old)))
             .related(binding.span, "declared here")
             .help(fmt::format("`let {} = …` hides it from there on", binding.name.text())));
  }
  if (old.is<None>() && is_left_out(binding, owner)) {
    fail(Diagnostic(
             Kind::assign_not_a_place, span,
             fmt::format("`{}` was declared with `none`: this instance has no such variable", binding.name.text()))
             .related(binding.span, "declared here")
             .help("give it a value where it is declared"));
  }
  if (value.is_poison()) return variables.set(binding, owner, std::move(value));
  // Only `let` binds a name to the variable itself. An assignment takes the variable's value.
  if (auto* variable = value.as<VariablePtr>()) value = (*variable)->current;
  const graph::Value* tensor = tensor_of(value);
  if (const graph::Value* old_tensor = tensor_of(old)) {
    if (is_open(value)) {  // keeps the old type, except for the element type under `precision mixed`
      const bool is_mixed = builder.context.precision == graph::Precision::kMixed;
      return variables.set(binding, owner, is_mixed ? unknown(UnknownKind::kTensor) : HostValue(old));
    }
    TensorType type = old_tensor->type();
    if (tensor && are_one_when_mixed(builder, type.element, tensor->element())) type.element = tensor->element();
    graph::Value next = variables.converted(value, type, span, fmt::format("`{}`", binding.name.text()), binding.span);
    // The name needs a node of its own even if nothing is resharded, because the other holders of the node have another
    // gradient.
    next = builder.laid_like(next, *old_tensor);
    if (tensor && next == *tensor) next = builder.add(ops::kCopy, {next});
    give_name(next, binding.name);
    return variables.set(binding, owner, std::move(next));
  }
  if (tensor) {
    const bool number = is_number(old);
    const bool takes_any = old.is<None>() || is_open(old);
    if (!takes_any && !(number && tensor->dims().empty())) {
      Diagnostic diagnostic(Kind::assign_type_changed, span,
                            fmt::format("`{}` is {}, found {}", binding.name.text(), describe(old), describe(value)));
      diagnostic.related(binding.span, "declared here")
          .help(number ? "a number can only become a tensor without dimensions; start with `zeros(…)`" : "");
      fail(std::move(diagnostic));
    }
    // A tensor with a name is held by that name. The holder has another gradient, so the new name gets a copy.
    graph::Value next = tensor->node->name.empty() ? *tensor : builder.add(ops::kCopy, {*tensor});
    give_name(next, binding.name);
    return variables.set(binding, owner, domain.after_assignment(old, std::move(next), owner.uncertain));
  }
  const bool is_of_one_kind = (is_number(old) && is_number(value)) || (old.is<Text>() && value.is<Text>()) ||
                              (old.is<ListPtr>() && value.is<ListPtr>());
  if (!is_of_one_kind && !old.is<None>() && !may_be_of_one_type(old, value)) {
    fail(Diagnostic(Kind::assign_type_changed, span,
                    fmt::format("`{}` is {}, found {}", binding.name.text(), describe(old), describe(value)))
             .related(binding.span, "declared here"));
  }
  variables.set(binding, owner, domain.after_assignment(old, std::move(value), owner.uncertain));
}

std::optional<HostValue> Evaluator::extended_list(const ast::AssignStmt& stmt, const Scope::Found& name,
                                                  const ScopePtr& scope) {
  auto* sum = stmt.value->as<ast::BinaryExpr>();
  if (!sum || sum->op != ast::BinaryOp::kAdd || !sum->right->as<ast::ListExpr>()) return std::nullopt;
  auto* left = sum->left->as<ast::NameExpr>();
  auto* held = left && left->name == name.binding->name ? name.binding->value.as<ListPtr>() : nullptr;
  if (!held || (*held)->tuple) return std::nullopt;
  ListPtr list = *held;
  HostValue more = evaluate(*sum->right, scope);
  auto* added = more.as<ListPtr>();
  if (!added) return more;  // in error, or unknown
  check_list_length(list->items.size() + (*added)->items.size(), stmt.value->span);
  auto* now = name.binding->value.as<ListPtr>();
  const bool is_outside = cuts.iteration() && name.scope->number < cuts.iteration()->first;
  // Undo restores the length of a list. If several branches extended one list in place, undo would also remove the
  // items of the other branches.
  const bool is_joined = undo.wanted() && name.scope->uncertain < domain.uncertainty();
  const bool is_ours = now && *now == list && list.use_count() == 2 && !is_outside && !is_joined && !replays.is_ahead();
  if (is_ours) undo.add(list, 0, [list = list.get(), length = list->items.size()] { list->items.resize(length); });
  else list = std::make_shared<List>(*list);
  list->items.insert(list->items.end(), (*added)->items.begin(), (*added)->items.end());
  return list;
}

void Evaluator::assign(const ast::AssignStmt& stmt, const ScopePtr& scope) {
  const auto statement = [&] { return cover(stmt.target->span, stmt.value->span); };
  if (auto* name = stmt.target->as<ast::NameExpr>()) {
    const Scope::Found found = scope->find(name->name, name->slot);
    if (!found.binding) {
      Help help = mtf::did_you_mean(stmt.target->span, name->name.text(), names.visible_names(scope.get()));
      fail(
          Diagnostic(Kind::assign_undefined, stmt.target->span, fmt::format("there is no `{}` here", name->name.text()))
              .help(help.empty() ? Help(fmt::format("`let {} = …` declares it", name->name.text())) : help));
    }
    // Evaluation binds names only in scopes of its own, so `found` is still valid.
    const HostValue& old = found.binding->value;
    std::optional<HostValue> longer = old.is<ListPtr>() ? extended_list(stmt, found, scope) : std::nullopt;
    const bool extends = longer.has_value();
    HostValue value = longer ? std::move(*longer) : evaluate(*stmt.value, scope);
    const bool are_numbers = (old.is<int64_t>() && value.is<int64_t>()) || (old.is<double>() && value.is<double>());
    if (are_numbers && !cuts.iteration() && !found.binding->is_setting &&
        found.scope->uncertain >= domain.uncertainty()) {
      variables.set(*found.binding, *found.scope, std::move(value));
    } else {
      builder.span = statement();
      assign_binding(*found.binding, *found.scope, std::move(value), stmt.value->span, statement(), extends);
    }
    if (spans_) [[unlikely]] {
      spans_->use(stmt.target->span, found.binding->span);
      spans_->expression(*stmt.target, found.binding->value);
    }
    return;
  }
  if (auto* attribute = stmt.target->as<ast::AttributeExpr>()) {
    HostValue object = evaluate(*attribute->object, scope);
    HostValue value = evaluate(*stmt.value, scope);
    if (object.is_unknown()) calls.may_have_assigned_part(attribute->attribute.name, value);
    if (!object.is_known()) return;
    auto* instance = object.as<InstancePtr>();
    if (!instance) {
      fail(Kind::assign_not_a_place, stmt.target->span,
           "expected a param, state or name of a model's instance, found {}", describe(object));
    }
    Binding* binding = (*instance)->scope->find_own(attribute->attribute.name);
    if (!binding) {
      names.attribute(object, attribute->attribute);  // fails with a suggestion
      fail(Kind::assign_not_a_place, stmt.target->span, "`{}` cannot be assigned", attribute->attribute.name.text());
    }
    builder.span = statement();
    assign_binding(*binding, *(*instance)->scope, std::move(value), stmt.value->span, statement());
    return;
  }
  HostValue element = evaluate(*stmt.target, scope);
  HostValue value = evaluate(*stmt.value, scope);
  if (!element.is_known()) return;
  auto* variable = element.as<VariablePtr>();
  if (!variable) {
    fail(Diagnostic(Kind::assign_not_a_place, stmt.target->span,
                    fmt::format("expected an element that is a param or state, found {}", describe(element)))
             .help("elements of lists and tensors do not change; make a new one"));
  }
  variables.assign(*variable, value, stmt.value->span, statement());
}

}  // namespace mtf::eval
