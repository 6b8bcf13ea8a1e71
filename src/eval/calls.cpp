#include "eval/calls.h"

#include <algorithm>

#include "eval/binding.h"
#include "eval/callee.h"
#include "eval/evaluator.h"
#include "eval/possible_values.h"
#include "eval/span_table.h"
#include "eval/variables_below.h"
#include "graph/layouts.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

/// True if an assignment can change the value. Functions and dims are never reassigned, and tensors keep their types.
bool may_be_reassigned(const HostValue& value) {
  return value.is<None>() || value.is_unknown() || value.is<Text>() || value.is<ListPtr>() || is_number(value) ||
         value.is<InstancePtr>();
}

/// Returns the unknown result of a host function that is not called.
HostValue unknown_result(const syntax::Signature& signature) {
  if (!signature.result) return None{};
  switch (*signature.result) {
    case syntax::ParameterKind::kInt: return unknown(UnknownKind::kInt);
    case syntax::ParameterKind::kFloat: return unknown(UnknownKind::kFloat);
    case syntax::ParameterKind::kBool: return unknown(UnknownKind::kBool);
    case syntax::ParameterKind::kString: return unknown(UnknownKind::kString);
    default: return unknown(UnknownKind::kAny);
  }
}

}  // namespace

// ---- the stack of calls ---------------------------------------------------------------------------------------------

Calls::Activation::Activation(Calls& under_way, const Function* function, const ast::ModelStmt* made, const Scope* own,
                              Span span)
    : calls(under_way),
      outer(calls.innermost_),
      depth(outer ? outer->depth + 1 : 1),
      callee(function),
      model(made),
      scope(own),
      call(span),
      uncertainty(calls.evaluator_.domain.uncertainty()) {
  calls.innermost_ = this;
}

Calls::Activation::~Activation() {
  if (has_frame) calls.evaluator_.builder.context.frame = std::move(frame_outside);
  calls.innermost_ = outer;
}

void Calls::make_frames() {
  std::vector<Activation*> frameless;
  for (Activation* call = innermost_; call && !call->has_frame; call = call->outer) frameless.push_back(call);
  for (auto each = frameless.rbegin(); each != frameless.rend(); ++each) {
    Activation& call = **each;
    Callee callee = call.callee ? callee_of(*call.callee) : Callee{call.name().str(), {}};
    graph::CallFrameRef& frame = evaluator_.builder.context.frame;
    call.has_frame = true;
    call.frame_outside = frame;
    frame = std::make_shared<const graph::CallFrame>(
        graph::CallFrame{frame, call.call, std::move(callee.name), std::move(callee.path)});
  }
}

void Calls::too_deep(Name callee, Span span, std::string_view how) {
  fail(Kind::call_too_deep, span, "`{}` is {} inside {} other calls", callee.text(), how, kMaxCalls);
}

void Calls::returns(const ast::ReturnStmt& stmt, Span span, const ScopePtr& scope) {
  HostValue result = promised(stmt.value.get(), span, scope);
  innermost_->result = std::move(result);
}

HostValue Calls::promised(const ast::Expr* value, Span span, const ScopePtr& scope) {
  HostValue result = value ? evaluator_.evaluate(*value, scope) : HostValue();
  if (none_under_way()) fail(Kind::return_outside_fn, span);
  const Function* const callee = innermost_->callee;
  if (!callee || !*callee->text.result || result.is_poison()) return result;
  // Most promised kinds are words, which need no scope.
  const syntax::ParameterKind kind = *callee->signature->result;
  if (kind == syntax::ParameterKind::kInt && result.is<int64_t>()) return result;
  if (kind == syntax::ParameterKind::kShaped || !become(kind, result))
    result = evaluator_.annotations.check(**callee->text.result, std::move(result), value ? value->span : span, scope,
                                          {Annotated::Kind::kResult, callee->signature->name}, {});
  return result;
}

void Calls::may_have_returned(Span place) {
  if (none_under_way()) return;
  Doubts& doubts = innermost_->in_doubt();
  doubts.results.push_back(innermost_->result);
  evaluator_.domain.may_have_ended(innermost_->uncertainty);
  if (!doubts.rest) doubts.rest.emplace(evaluator_.doubts, plan::Doubt{place, plan::Doubt::Kind::kRest});
}

void Calls::go_on_in_doubt() {
  if (results() > 0) evaluator_.domain.may_have_ended(innermost_->uncertainty);
}

bool Calls::is_own(const Scope& scope) const {
  const Scope* const own = innermost_ ? innermost_->scope : nullptr;
  for (const Scope* each = &scope; own && each; each = each->parent.get())
    if (each == own) return true;
  return false;
}

bool Calls::has_returned_poison() {
  if (!innermost_) return false;
  innermost_->result = Poison{};
  return true;
}

void Calls::has_returned() {
  innermost_->result = std::move(innermost_->doubts->results.back());
  innermost_->doubts->results.pop_back();
}

namespace {

/// The same diagnostic with another place. Its places become related ones, except `left_out`.
Diagnostic placed_at(Span span, const Diagnostic& diagnostic, const LabeledSpan* left_out = nullptr) {
  Diagnostic placed(diagnostic.kind(), span, diagnostic.label());
  const std::vector<LabeledSpan>& places = diagnostic.places();
  for (const LabeledSpan& place : places)
    if (&place != left_out) placed.related(place.span, &place == &places.front() ? "inside" : place.label);
  for (const Help& help : diagnostic.all_helps()) placed.help(help);
  for (const std::string& note : diagnostic.notes()) placed.note(note);
  return placed;
}

}  // namespace

std::optional<Diagnostic> Calls::seen_from(const Diagnostic& diagnostic, Span call) const {
  const Modules& modules = evaluator_.modules;
  if (!call.is_known() || modules.in_standard_module(call) || !modules.in_standard_module(diagnostic.span()))
    return std::nullopt;
  return placed_at(call, diagnostic);
}

Diagnostic Calls::seen_by_program(const Diagnostic& diagnostic) const {
  return seen_from_calls(diagnostic).value_or(diagnostic);
}

Diagnostic Calls::seen_by_caller(const Diagnostic& diagnostic) const {
  const Modules& modules = evaluator_.modules;
  if (!modules.in_standard_module(diagnostic.span())) return diagnostic;
  const std::vector<LabeledSpan>& places = diagnostic.places();
  const auto own = std::find_if(places.begin() + 1, places.end(), [&](const LabeledSpan& place) {
    return place.span.is_known() && !modules.in_standard_module(place.span);
  });
  if (own == places.end()) return diagnostic;
  return placed_at(own->span, diagnostic, &*own);
}

std::optional<Diagnostic> Calls::seen_from_calls(const Diagnostic& diagnostic) const {
  for (const Activation* call = innermost_; call; call = call->outer)
    if (auto seen = seen_from(diagnostic, call->call)) return seen;
  return std::nullopt;
}

void Calls::report(const UserError& error) {
  Diagnostic diagnostic = error.diagnostic();
  if (innermost_ && innermost_->call.is_known()) {
    if (auto seen = seen_from_calls(diagnostic)) diagnostic = *seen;
    else diagnostic.related(innermost_->call, "called here");
  }
  evaluator_.findings.report(std::move(diagnostic), evaluator_.domain.caught_error_from());
}

void Calls::statement_failed(const UserError& error) {
  if (error.diagnostic().kind() == Kind::interrupted) throw error;
  if (error.diagnostic().kind() == Kind::call_too_deep) {
    if (innermost_) throw error;
    end_ = true;
  }
  report(error);
}

// ---- calls ----------------------------------------------------------------------------------------------------------

namespace {

/// The effects of a call itself. The statements of a script function tell their own.
Effects effects_of_call(const HostValue& callee) {
  if (const auto* builtin = callee.as<BuiltinPtr>()) return (*builtin)->effects;
  return callee.is<ModelClassPtr>() ? Effects::kWrites : Effects::kNone;
}

}  // namespace

HostValue Calls::call(const HostValue& callee, Arguments& arguments) {
  evaluator_.replays.has(effects_of_call(callee));
  if (auto* function = callee.as<FunctionPtr>()) return call_function(**function, arguments);
  if (auto* op = callee.as<OperationPtr>()) return evaluator_.operations.call(**op, arguments);
  if (auto* model = callee.as<ModelClassPtr>()) return construct(*model, arguments);
  if (auto* builtin = callee.as<BuiltinPtr>()) {
    const Bound bound = bind(*(*builtin)->signature, arguments);
    if (!(*builtin)->sees_unknown && evaluator_.domain.is_abstract() && bound.any_unknown())
      return unknown_result(bound.signature);
    evaluator_.builder.span = arguments.span;
    HostValue result = (*builtin)->call(evaluator_.caller, bound);
    // The result is unknown because the builtin has not called a function that it was given. A run may call it.
    if (is_open(result) && evaluator_.domain.is_check() &&
        std::any_of(arguments.items.begin(), arguments.items.end(),
                    [](const GivenArgument& item) { return item.value.is<FunctionPtr>() || is_open(item.value); }))
      may_have_called_any();
    return result;
  }
  if (auto* instance = callee.as<InstancePtr>()) {
    if (Binding* binding = call_of(**instance)) return call(HostValue(binding->value), arguments);
  }
  if (callee.is_poison()) return callee;
  if (callee.is_unknown()) {
    evaluator_.doubts.uncounted(arguments.span);
    may_have_called_any();
    return unknown(UnknownKind::kAny);
  }
  fail(Kind::not_callable, arguments.span, "expected a function, found {}", describe(callee));
}

HostValue Calls::call_with(const HostValue& callee, std::vector<HostValue> values, Span span) {
  Arguments arguments;
  arguments.span = span;
  arguments.scope = evaluator_.top();
  for (HostValue& value : values) {
    GivenArgument& item = arguments.items.emplace_back();
    item.value = std::move(value);
    item.span = span;
  }
  return call(callee, arguments);
}

void Calls::may_have_called_any() {
  AbstractDomain& domain = evaluator_.domain;
  if (!domain.is_check()) return;
  NameSet parts;
  for (const FunctionPtr& function : evaluator_.uncalled.functions()) {
    const NameSet& assigned = (*function->text.facts)->assigns;
    for (const Name name : assigned) {
      const auto found = function->scope->find(name, function->reached ? function->visible : ~size_t{0});
      if (!found.binding || !may_be_reassigned(found.binding->value)) continue;
      const UnknownKind kind = found.binding->value.is<Text>() ? UnknownKind::kString : UnknownKind::kAny;
      domain.assigns(*found.binding, *found.scope, unknown(kind), evaluator_.undo);
    }
    parts.insert(assigned.begin(), assigned.end());
  }
  for (const Name name : parts) may_have_assigned_part(name, unknown(UnknownKind::kAny));
}

void Calls::may_have_assigned_part(Name name, const HostValue& value) {
  AbstractDomain& domain = evaluator_.domain;
  if (!domain.is_check()) return;
  std::erase_if(instances_, [](const std::weak_ptr<Instance>& instance) { return instance.expired(); });
  for (const std::weak_ptr<Instance>& each : instances_) {
    const InstancePtr instance = each.lock();
    Binding* const binding = instance->scope->find_own(name);
    if (binding && may_be_reassigned(binding->value))
      domain.assigns(*binding, *instance->scope, domain.merge(binding->value, value), evaluator_.undo);
  }
}

Calls::Recursion Calls::recursion() const {
  const Activation& call = *innermost_;
  constexpr int kMostTimes = 12;
  int times = 0;
  // If `other` may have returned already, the calls above it are reached only under that condition.
  bool conditional = false;
  for (const Activation* other = call.outer; other; other = other->outer) {
    conditional = conditional || other->uncertainty < call.uncertainty || other->may_have_returned();
    if (!conditional || !other->callee || other->callee->signature != call.callee->signature) continue;
    if (other->doubts->argument_types == call.doubts->argument_types || ++times == kMostTimes)
      return Recursion::kEndless;
  }
  return times > 0 ? Recursion::kInDoubt : Recursion::kNone;
}

void Calls::bind_parameters(const syntax::Signature& signature, Arguments& arguments, const ScopePtr& scope) {
  const Bound bound = bind(signature, arguments);
  const auto& declared = signature.declared;
  scope->bindings.reserve(declared.size());
  for (size_t i = 0; i < declared.size(); ++i) {
    HostValue value =
        bound.has(i) ? std::move(bound.given[i]->value) : evaluator_.evaluate(*declared[i].default_value, scope);
    scope->bindings.emplace_back(declared[i].name.name, std::move(value), declared[i].name.span);
    scope->bindings.back().is_iterations_number = bound.has(i) && bound.given[i]->is_iterations_number;
  }
  for (size_t i = 0; i < declared.size(); ++i) {
    const ast::Parameter& parameter = declared[i];
    if (!parameter.annotation || (bound.has(i) && signature.parameters[i].kind != syntax::ParameterKind::kShaped))
      continue;
    HostValue value = scope->bindings[i].value;
    if (value.is_poison() || (!bound.has(i) && signature.parameters[i].none_is_default)) continue;
    const bool is_optional = signature.parameters[i].none_is_default && may_be_none(value);
    HostValue checked = evaluator_.annotations.check(
        *parameter.annotation, std::move(value), bound.has(i) ? bound.span(i) : parameter.span, scope,
        {Annotated::Kind::kParameter, parameter.name.name, signature.name}, parameter.span);
    scope->bindings[i].value = is_optional ? unknown(UnknownKind::kAny) : std::move(checked);
  }
  if (SpanTable* spans = evaluator_.spans()) {
    for (size_t i = 0; i < declared.size(); ++i) spans->binding(declared[i].name.span, scope->bindings[i].value);
  }
}

HostValue Calls::call_function(const Function& function, Arguments& arguments) {
  if (end_) return Poison{};
  const syntax::Signature& signature = *function.signature;
  if (is_too_deep()) too_deep(signature.name, arguments.span, "called");
  const OwnScope scope = evaluator_.nested(function);
  bind_parameters(signature, arguments, scope);
  return enter(function, arguments.span, scope);
}

HostValue Calls::call_directly(const Function& function, const ast::CallExpr& call, Span span, const ScopePtr& scope) {
  const std::vector<syntax::Parameter>& parameters = function.signature->parameters;
  const size_t count = parameters.size();
  const OwnScope inner = evaluator_.nested(function);
  Bindings& bindings = inner->bindings;
  if (bindings.capacity() < count) bindings.reserve(count);
  bool all_fit = !end_;
  for (size_t i = 0; i < count; ++i) {
    const syntax::Parameter& parameter = parameters[i];
    HostValue& value = bindings
                           .emplace_back(parameter.name, evaluator_.evaluate(*call.arguments[i].value, scope),
                                         function.signature->declared[i].name.span)
                           .value;
    const bool fits = parameter.kind == syntax::ParameterKind::kAny ||
                      (parameter.kind == syntax::ParameterKind::kInt && value.is<int64_t>()) ||
                      (!parameter.none_is_default && become(parameter.kind, value));
    all_fit = all_fit && fits;
  }
  if (!all_fit) {  // `call_function` says what is wrong
    Arguments arguments;
    arguments.span = span;
    arguments.scope = scope;
    for (size_t i = 0; i < count; ++i) {
      GivenArgument& item = arguments.items.emplace_back();
      item.value = std::move(bindings[i].value);
      item.span = call.arguments[i].value->span;
    }
    return call_function(function, arguments);
  }
  if (is_too_deep()) too_deep(function.signature->name, span, "called");
  inner->number = graph::last_node_id();
  return enter(function, span, inner);
}

HostValue Calls::enter(const Function& function, Span span, const ScopePtr& scope) {
  const Activation call(*this, &function, nullptr, &*scope, span);
  HostValue result =
      evaluator_.domain.is_abstract() ? walk_function(function, span, scope) : run_function(function, span, scope);
  const LayoutPtr& layout = evaluator_.builder.context.layout;
  if (layout && layout->lays_out_results()) [[unlikely]]
    return laid_out_by_path(function, std::move(result), span);
  return result;
}

HostValue Calls::laid_out_by_path(const Function& function, HostValue result, Span span) {
  if (!is_call_of_model(function) || makes_instance()) return result;
  std::string path = callee_of(function).path;
  if (path.empty()) return result;
  evaluator_.meshes.has_path(ByPath::kValues, path);
  const auto asked = graph::asked_by_path(*evaluator_.builder.context.layout, std::move(path));
  if (asked->rules.rules.empty()) return result;
  const auto lay_out = [&](HostValue& value, const auto& self) -> void {
    if (const graph::Value* const tensor = tensor_of(value)) {
      evaluator_.builder.span = span;
      evaluator_.meshes.check(span);
      value = evaluator_.builder.laid_out(*tensor, asked);
    } else if (auto* const list = value.as<ListPtr>()) {
      auto laid_out = std::make_shared<List>();
      laid_out->tuple = (*list)->tuple;
      laid_out->items = (*list)->items;
      for (HostValue& item : laid_out->items) self(item, self);
      value = std::move(laid_out);
    }
  };
  lay_out(result, lay_out);
  return result;
}

HostValue Calls::walk_function(const Function& function, Span span, const ScopePtr& scope) {
  AbstractDomain& domain = evaluator_.domain;
  evaluator_.uncalled.called(function.signature);
  std::string& types = innermost_->in_doubt().argument_types;
  for (const Binding& binding : scope->bindings) {
    const bool host_number = is_number(binding.value) && !binding.value.is<bool>();
    types += host_number ? "number;" : describe(binding.value) + ";";
  }
  const Recursion recursion = this->recursion();
  if (recursion == Recursion::kEndless) return result_of_recursion(span);
  if (recursion == Recursion::kNone || !domain.is_check()) return run_function(function, span, scope);
  const Findings::Trial dropped(evaluator_.findings);
  try {
    return run_function(function, span, scope);
  } catch (const UserError& error) {
    if (error.diagnostic().kind() == Kind::call_too_deep || error.diagnostic().kind() == Kind::interrupted) throw;
    domain.caught_error_from();
  }
  return result_of_recursion(span);
}

HostValue Calls::result_of_recursion(Span span) {
  evaluator_.doubts.uncounted(span);
  may_have_called_any();
  return unknown(UnknownKind::kAny);
}

HostValue Calls::run_function(const Function& function, Span span, const ScopePtr& scope) {
  AbstractDomain& domain = evaluator_.domain;
  const size_t errors_before = evaluator_.findings.count();
  bool returned = false;
  std::optional<AbstractDomain::Part> part;
  if (domain.is_check()) part.emplace(domain);
  try {
    if (function.text.expression) return promised(function.text.expression, span, scope);
    const ast::Block& block = *function.text.block;
    if (block.facts->only_chooses && !domain.is_abstract()) {
      if (const ast::Stmt* const chosen = evaluator_.branches.chosen(block, scope))
        return promised(chosen->as<ast::ReturnStmt>()->value.get(), chosen->span, scope);
    } else returned = evaluator_.run_block(block, scope) == Flow::kReturn;
  } catch (const UserError& error) {
    if (auto seen = seen_from(error.diagnostic(), span)) throw UserError(*seen);
    throw;
  }
  HostValue result = result_of(*innermost_, returned, evaluator_.findings.count() != errors_before, function);
  if (const auto& doubts = innermost_->doubts; doubts && doubts->rest) doubts->rest->end();
  return result;
}

HostValue Calls::result_of(Activation& call, bool returned, bool reported, const Function& function) {
  if (returned && !call.may_have_returned()) [[likely]]
    return std::move(call.result);
  if (returned) return join_results(call, std::move(call.result));
  if (!call.may_have_returned()) {
    // After an error the walk may have missed a `return`.
    if (*function.text.result && !reported) {
      const Span promised = std::visit([](const auto& annotation) { return annotation.span; }, **function.text.result);
      fail(Diagnostic(Kind::type_mismatch, promised,
                      fmt::format("expected a result, and `{}` ended without a `return`", call.name().text()))
               .help("`return …` gives the result to the caller"));
    }
    return HostValue();
  }
  // One path returned a value, and the last one reached the end of the block. After an error any value is possible.
  for (const HostValue& other : call.doubts->results) {
    if (other.is_poison()) return Poison{};
  }
  return join_results(call, evaluator_.domain.is_check() ? HostValue() : call.doubts->results[0]);
}

HostValue Calls::join_results(const Activation& call, HostValue last) {
  for (const HostValue& other : call.doubts->results) {
    if (are_apart(other, last))
      fail(Diagnostic(Kind::branch_types_differ, call.call,
                      fmt::format("`{}` returns {} or {}", call.name().text(), describe(other), describe(last))));
    last = evaluator_.domain.merge(other, last);
  }
  return last;
}

bool Calls::makes_instance() const {
  for (const Activation* call = innermost_; call; call = call->outer)
    if (call->model) return true;
  return false;
}

namespace {

/// True if an instance holds several instances, whose params may have the same paths.
bool holds_several(const Scope& scope) {
  const Instance* first = nullptr;
  const auto is_another = [&](const HostValue& value) {
    const auto* instance = value.as<InstancePtr>();
    if (instance == nullptr) return false;
    if (first == nullptr) first = instance->get();
    return first != instance->get();
  };
  for (const Binding& binding : scope.bindings) {
    if (is_another(binding.value)) return true;
    if (const auto* list = binding.value.as<ListPtr>()) {
      for (const HostValue& item : (*list)->items) {
        if (!item.is<InstancePtr>()) break;
        if (is_another(item)) return true;
      }
    }
  }
  return false;
}

}  // namespace

HostValue Calls::construct(const ModelClassPtr& model, Arguments& arguments) {
  if (end_) return Poison{};
  AbstractDomain& domain = evaluator_.domain;
  const ast::ModelStmt& declaration = *model->declaration;
  if (is_too_deep()) too_deep(declaration.name.name, arguments.span, "made");
  auto scope = std::make_shared<Scope>(model->scope, model->reached ? model->visible : model->scope->bindings.size(),
                                       domain.uncertainty());
  scope->named = model->named;
  bind_parameters(*declaration.signature, arguments, scope);
  evaluator_.uncalled.called(model->declaration);
  const int64_t first = evaluator_.variables.last();
  const bool is_outermost = !makes_instance() && !evaluator_.cuts.iteration();
  const int64_t first_node = is_outermost ? graph::new_node_id() : 0;
  std::optional<ForgetsUnnamed> forgets;
  if (is_outermost) forgets.emplace(evaluator_.variables);
  const auto waits = evaluator_.cuts.wait();
  {
    const Activation call(*this, nullptr, &declaration, nullptr, arguments.span);
    scope->model = &declaration;
    try {
      evaluator_.run_block(declaration.body, scope, true);
    } catch (const UserError& error) {
      if (auto seen = seen_from(error.diagnostic(), arguments.span)) throw UserError(*seen);
      throw;
    }
  }
  auto instance = std::make_shared<Instance>();
  instance->model = model;
  instance->scope = scope;
  if (domain.is_check()) instances_.push_back(instance);
  const bool has_own = evaluator_.variables.last() > first;
  if (has_own || holds_several(*scope))
    evaluator_.findings.count_steps(arguments.span, name_variables(instance, first));
  if (has_own && is_outermost) evaluator_.variables.paths_are_complete(first_node);
  return InstancePtr(instance);
}

}  // namespace mtf::eval
