#include "eval/variables.h"

#include <utility>

#include "eval/annotations.h"
#include "eval/evaluator.h"
#include "eval/possible_values.h"
#include "eval/value_type.h"
#include "graph/layout_record.h"
#include "graph/layouts.h"
#include "graph/relayout.h"
#include "ops/type_rules.h"
#include "support/text.h"
#include "types/saturating.h"

namespace mtf::eval {

graph::Value Variables::converted(const HostValue& value, const TensorType& type, Span span, std::string_view what,
                                  Span declared) {
  auto mismatch = [&](std::string help) {
    Diagnostic diagnostic(
        Kind::assign_type_changed, span,
        fmt::format("expected {}, which is what {} is, found {}", to_string(type), what, describe(value)));
    diagnostic.related(declared, "declared here").help(std::move(help));
    fail(std::move(diagnostic));
  };
  const graph::Value* tensor = tensor_of(value);
  if (!tensor) {
    if (!is_number(value)) mismatch("");
    if (!type.dims.empty()) {
      std::vector<std::string> names;
      for (const Dim& dim : type.dims) names.push_back(dim.name.str());
      mismatch(fmt::format("`fill([{}], …)` makes a tensor of this shape", mtf::join(names, ", ")));
    }
    return evaluator_.convert.number_tensor(value, type.element);
  }
  if (!same_set(tensor->dims(), type.dims)) mismatch("");
  ops::Builder& builder = evaluator_.builder;
  builder.span = span;
  if (tensor->element() != type.element && !are_one_when_mixed(builder, tensor->element(), type.element))
    mismatch(fmt::format("`cast(…, {})` converts it", name(type.element)));
  graph::Value result = builder.cast(*tensor, type.element);
  if (result.dims() != type.dims) result = builder.broadcast(result, type.dims);
  return result;
}

void Variables::assign(const VariablePtr& variable, const HostValue& value, Span span, Span statement) {
  if (value.is_poison() || is_open(value)) return;
  const std::string what = fmt::format("the {} `{}`", variable->trainable ? "param" : "state", variable->path);
  const graph::Value next_value = converted(value, variable->type, span, what, variable->span);
  // A check does not end the history if the assignment may not happen in a run: the value would keep only that end.
  if (evaluator_.domain.is_check() && evaluator_.domain.is_in_doubt()) return;
  if (const Iteration* iteration = evaluator_.cuts.iteration()) {
    const bool is_made_in_iteration = variable->serial > iteration->last_variable;
    if (!is_made_in_iteration &&
        std::find(iteration->own.begin(), iteration->own.end(), variable) == iteration->own.end())
      evaluator_.cuts.refuse_in_iteration(
          statement, fmt::format("`{}`, which is not the turn's own, is assigned", variable->path));
    // The variable keeps the value without its history, as outside of a loop iteration.
    evaluator_.builder.span = statement;
    graph::Value next = evaluator_.builder.add(ops::kStopGradient, {next_value});
    next.node->name = Name(variable->path);
    variable->current = std::move(next);
    variable->is_assigned = true;
    return;
  }
  const auto ended = std::make_shared<const graph::HistoryEnd>(
      graph::HistoryEnd{Name(variable->path), statement, {}, variable->serial});
  evaluator_.replays.assigns(variable, ended);
  evaluator_.builder.span = statement;
  graph::Value next = evaluator_.builder.assigned(next_value, variable->stored);
  next.node->name = Name(variable->path);
  next.node->variable = variable->serial;
  graph::Handle before = variable->current;
  if (evaluator_.undo.wanted()) {
    const bool was_aside = before.is_aside();
    before.set_aside_for_undo(evaluator_.undo.since());
    evaluator_.undo.add(
        variable, 0,
        [variable = variable.get(), before, was_aside] {
          before.value().node->ended = nullptr;
          variable->current = before;
          was_aside ? variable->current.set_aside() : variable->current.take_up();
        },
        [&] { return bytes_kept_by(before); });
  }
  before.value().node->ended = ended;
  variable->current = std::move(next);
  variable->is_assigned = true;
  evaluator_.cuts.assigned(variable);
}

void Variables::assign_name(const ScopePtr& scope, size_t index, HostValue value, Span loop) {
  Binding& binding = scope->bindings[index];
  const Iteration* const iteration = evaluator_.cuts.iteration();
  if (iteration != nullptr && scope->number < iteration->first)
    evaluator_.cuts.refuse_in_iteration(loop,
                                        fmt::format("`{}`, a name from outside, is assigned", binding.name.text()));
  set(binding, *scope, evaluator_.domain.after_assignment(binding.value, std::move(value), scope->uncertain));
}

void Variables::set(Binding& binding, Scope& owner, HostValue&& value) {
  evaluator_.replays.changes_name(binding, owner, value);
  evaluator_.cuts.replaced(owner, binding.value, value);
  evaluator_.domain.assigns(binding, owner, std::move(value), evaluator_.undo);
}

void Variables::declare(const ast::ParamStmt& stmt, const ScopePtr& scope) {
  const bool is_new = scope->find_own(stmt.name.name) == nullptr;
  for (size_t i = is_new ? scope->bindings.size() : 0; i < scope->bindings.size(); ++i) {
    const Binding& other = scope->bindings[i];
    auto* earlier = other.name == stmt.name.name ? other.value.as<VariablePtr>() : nullptr;
    if (earlier && other.span == (*earlier)->span) {
      fail(Diagnostic(Kind::duplicate_declaration, stmt.name.span,
                      fmt::format("`{}` would have the path of another", stmt.name.name.text()))
               .related(other.span, "declared here"));
    }
  }
  auto variable = std::make_shared<Variable>();
  variable->path = variable->name = stmt.name.name.str();
  variable->trainable = stmt.trainable;
  variable->known_as = std::make_shared<graph::Variable>();
  variable->known_as->trainable = stmt.trainable;
  if (scope->model) variable->model = scope->model->name.name;
  variable->span = stmt.name.span;
  variable->declared =
      cover(stmt.name.span, std::visit([](const auto& annotation) { return annotation.span; }, stmt.type));
  variable->begins = stmt.value->span;
  variable->serial = ++last_;
  if (const std::optional<HostValue> unknown = lay_out(variable, stmt, scope)) {
    scope->bind(stmt.name.name, HostValue(*unknown), stmt.name.span);
    return;
  }
  // The initial value is resharded to the variable's layout. If the declaration asks for a layout (`stmt.stored`), the
  // layout's rules for dims do not reject the values from which the initial value is computed.
  ops::Builder& builder = evaluator_.builder;
  Restore written(builder.written, builder.written && !stmt.stored);
  Restore initial_value(builder.initial, true);
  const HostValue value = evaluator_.evaluate(*stmt.value, scope);
  if (may_be_none(value)) {  // there is no variable, or only a run knows whether there is one
    scope->bind(stmt.name.name, HostValue(value), stmt.name.span);
    return;
  }
  variable->declared_dims = variable->type.dims;
  if (is_number(value) || is_open(value)) variable->start = value;
  variable->current = builder.assigned(initial(*variable, stmt, value), variable->stored);
  variable->current.value().node->name = stmt.name.name;
  variable->current.value().node->variable = variable->serial;
  scope->bind(stmt.name.name, VariablePtr(variable), stmt.name.span);
  unnamed_.push_back(std::move(variable));
}

void Variables::paths_are_complete(int64_t first_node) {
  const std::vector<VariablePtr> variables = std::exchange(unnamed_, {});
  graph::LayoutRecord* const record = evaluator_.builder.record.get();
  bool any_rule = false;
  for (const VariablePtr& variable : variables) {
    const graph::Value& value = variable->current.value();
    const Layout& layout = *variable->stored.why.rules;
    const ByPath of = variable->trainable ? ByPath::kParams : ByPath::kStates;
    const PathRule* const rule = layout.find(of, variable->path);
    evaluator_.meshes.has_path(of, variable->path);
    if (!value.node->is_computed(value.result)) {
      variable->known_as->path = variable->path;
      any_rule = any_rule || layout.stores_by_path();
    } else if (rule) {
      warn_of_early(*variable, *rule);
    }
  }
  if (any_rule || record) {
    const graph::Values held = evaluator_.builder.table->pending_held(first_node);
    const std::vector<graph::NodePtr> nodes = graph::pending(held, first_node);
    graph::paths_are_known(nodes, record);
  }
  for (const VariablePtr& variable : variables) {
    const graph::LaidOutOperation& operation = variable->current.value().operation();
    variable->stored.sharding = operation.shardings[0];
    variable->stored.why = operation.why;
    if (record) record->add_variable(operation, variable->trainable, variable->declared, variable->begins);
    int64_t& elements = variable->trainable ? stored_.parameters : stored_.states;
    int64_t& bytes = variable->trainable ? stored_.parameter_bytes : stored_.state_bytes;
    elements = saturating_add(elements, size_of(variable->type.dims));
    bytes = saturating_add(bytes, bytes_of_block({variable->type, variable->stored.sharding, variable->stored.mesh}));
  }
}

void Variables::warn_of_early(const Variable& variable, const PathRule& rule) {
  evaluator_.findings.warn(
      Diagnostic(Kind::stored_before_path, variable.span,
                 fmt::format("`{}` was computed before the instance was made that it is a part of", variable.path))
          .related(rule.span, fmt::format("so {} does not say how it is stored",
                                          code(fmt::format("{} {}", word_of(rule.of), quote(rule.path)))))
          .help("print it, or ask for its number, behind the model"));
}

void Variables::stack(const VariablePtr& variable, const Dims& over, const graph::Value& value,
                      const std::function<graph::OperationRef(const graph::OperationRef&)>& stacked) {
  variable->type.dims.insert(variable->type.dims.begin(), over.begin(), over.end());
  graph::GivenLayout& stored = variable->stored;
  evaluator_.builder.span = variable->span;
  if (stored.why.like) stored.why.like = stacked(stored.why.like);
  if (!evaluator_.cuts.iteration()) stored.why.variable = variable->known_as;
  stored.sharding = stored_sharding(variable->type, stored.why, *stored.mesh, variable->span);
  const Name name = variable->current.value().node->name;
  variable->current = evaluator_.builder.assigned(value, stored);
  variable->current.value().node->name = name;
  variable->current.value().node->variable = variable->serial;
  unnamed_.push_back(variable);
}

std::optional<HostValue> Variables::lay_out(const VariablePtr& declared, const ast::ParamStmt& stmt,
                                            const ScopePtr& scope) {
  Variable& variable = *declared;
  const graph::Context& context = evaluator_.builder.context;
  evaluator_.builder.span = stmt.name.span;
  evaluator_.meshes.check(stmt.name.span);
  graph::GivenLayout& stored = variable.stored;
  stored.mesh = context.mesh;
  if (auto* like = std::get_if<ast::LikeAnnotation>(&stmt.type)) {
    HostValue of = evaluator_.evaluate(*like->of, scope);
    if (const VariablePtr* param = of.as<VariablePtr>(); param && !stmt.trainable && (*param)->trainable)
      (*param)->state = declared;
    if (!of.is_known()) return part_of_unknown(of);
    const graph::Value* tensor = tensor_of(of);
    if (!tensor)
      fail(Kind::type_mismatch, like->of->span, "expected a param, a state or a tensor, found {}", describe(of));
    variable.type = tensor->type();
    if (like->element_type) variable.type.element = *parse_element_type(like->element_type->name.text());
    stored.mesh = tensor->mesh();
    stored.why.like = tensor->node->operation;
    stored.why.like_result = tensor->result;
  } else {
    const auto& shape = std::get<ast::ShapeAnnotation>(stmt.type);
    for (const auto& item : shape.items) {
      if (!item.is_rest() && evaluator_.evaluate(*item.dim, scope).is_poison()) return Poison{};
    }
    std::optional<Dims> dims = evaluator_.annotations.dims_of(shape, scope);
    if (!dims) return unknown(UnknownKind::kAny);
    variable.type.dims = std::move(*dims);
    if (shape.element_type) variable.type.element = *parse_element_type(shape.element_type->name.text());
  }
  if (!checked_size(variable.type.dims))
    fail(Kind::size_overflow, stmt.name.span, "{} has more than 2^62 elements", to_string(variable.type));
  stored.why.rules = context.layout;
  if (!evaluator_.cuts.iteration())
    stored.why.variable = variable.known_as;  // in a loop, only stacked variables have paths
  if (stmt.stored) stored.why.asked = asked_by(evaluator_, *stmt.stored, variable.type, scope);
  stored.sharding = stored_sharding(variable.type, stored.why, *stored.mesh, stmt.name.span);
  return std::nullopt;
}

graph::Value Variables::initial(const Variable& variable, const ast::ParamStmt& stmt, HostValue value) {
  ops::Builder& builder = evaluator_.builder;
  const TensorType& type = variable.type;
  if (value.is<FunctionPtr>() || value.is<OperationPtr>() || value.is<BuiltinPtr>()) {
    std::vector<HostValue> dims;
    for (const Dim& dim : type.dims) dims.push_back(dim);
    value = evaluator_.calls.call_with(value, {make_list(std::move(dims))}, stmt.value->span);
  }
  if (value.is_poison() || is_open(value)) value = 0.0;  // any value: only the type matters
  graph::Value initial;
  if (const graph::Value* tensor = tensor_of(value)) {
    initial = *tensor;
    if (!is_subset(initial.dims(), type.dims)) {
      fail(Diagnostic(Kind::shape_mismatch, stmt.value->span,
                      fmt::format("expected {}, found {}", to_string(type), describe(value)))
               .related(stmt.name.span, "declared here"));
    }
  } else if (is_number(value)) {
    initial = evaluator_.convert.number_tensor(value, type.element);
  } else {
    fail(Kind::type_mismatch, stmt.value->span, "expected a number, a tensor or a function of the shape, found {}",
         describe(value));
  }
  builder.span = cover(stmt.name.span, stmt.value->span);
  initial = builder.cast(initial, type.element);
  if (initial.dims() == type.dims) return initial;
  Restore ours(builder.written, false);
  return builder.broadcast(initial, type.dims);
}

}  // namespace mtf::eval
