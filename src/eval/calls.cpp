#include "eval/calls.h"

#include <algorithm>

#include "eval/binding.h"
#include "eval/callee.h"
#include "eval/evaluator.h"
#include "eval/possible_values.h"
#include "eval/span_table.h"
#include "eval/variables_below.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

const std::optional<ast::Annotation> kNoPromise;

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

Calls::SetAside::SetAside(Calls& calls) : calls_(calls) {
  calls_.make_frames();
  calls_.under_way_.swap(outer_);
  calls_.framed_ = 0;
}
Calls::SetAside::~SetAside() {
  calls_.under_way_.swap(outer_);
  calls_.framed_ = calls_.under_way_.size();
}

Calls::Entered::Entered(Calls& calls, const void* function, Name name, Span call) : calls_(calls) {
  Activation& entered = calls.under_way_.emplace_back();
  entered.function = function;
  entered.name = name;
  entered.call = call;
  entered.uncertainty = calls.evaluator_.domain.uncertainty();
}

Calls::Entered::~Entered() {
  std::vector<Activation>& calls = calls_.under_way_;
  if (calls_.framed_ == calls.size()) {
    calls_.evaluator_.builder.context.frame = std::move(calls.back().frame_outside);
    --calls_.framed_;
  }
  calls.pop_back();
}

void Calls::make_frames() {
  graph::CallFrameRef& frame = evaluator_.builder.context.frame;
  for (; framed_ < under_way_.size(); ++framed_) {
    Activation& call = under_way_[framed_];
    Callee callee = call.callee ? callee_of(*call.callee) : Callee{call.name.str(), {}};
    call.frame_outside = frame;
    frame = std::make_shared<const graph::CallFrame>(
        graph::CallFrame{frame, call.call, std::move(callee.name), std::move(callee.path)});
  }
}

void Calls::too_deep(Name callee, Span span, std::string_view how) {
  fail(Kind::call_too_deep, span, "`{}` is {} inside {} other calls", callee.text(), how, kMaxCalls);
}

void Calls::returns(HostValue result, Span span, const ScopePtr& scope) {
  keep_promise(result, span, scope);
  under_way_.back().result = std::move(result);
}

void Calls::keep_promise(HostValue& result, Span span, const ScopePtr& scope) {
  const Activation& call = under_way_.back();
  if (!*call.promised || result.is_poison()) return;
  // Most promised kinds are words, which need no scope.
  const syntax::ParameterKind kind = *call.callee->signature->result;
  if (kind == syntax::ParameterKind::kInt && result.is<int64_t>()) return;
  if (kind == syntax::ParameterKind::kShaped || !become(kind, result))
    result = evaluator_.annotations.check(**call.promised, std::move(result), span, scope,
                                          {Annotated::Kind::kResult, call.name}, {});
}

void Calls::may_have_returned(Span place) {
  if (under_way_.empty()) return;
  Activation& call = under_way_.back();
  call.maybe_results.push_back(call.result);
  if (evaluator_.domain.is_check()) evaluator_.domain.may_have_ended(call.uncertainty);
  if (!call.rest) call.rest.emplace(evaluator_.doubts, plan::Doubt{place, plan::Doubt::Kind::kRest});
}

void Calls::go_on_in_doubt() {
  if (evaluator_.domain.is_check() && results() > 0) evaluator_.domain.may_have_ended(under_way_.back().uncertainty);
}

bool Calls::is_own(const Scope& scope) const {
  const Scope* const own = under_way_.empty() ? nullptr : under_way_.back().scope;
  for (const Scope* each = &scope; own && each; each = each->parent.get())
    if (each == own) return true;
  return false;
}

bool Calls::has_returned_poison() {
  if (under_way_.empty()) return false;
  under_way_.back().result = Poison{};
  return true;
}

void Calls::has_returned() {
  Activation& call = under_way_.back();
  call.result = std::move(call.maybe_results.back());
  call.maybe_results.pop_back();
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
  for (auto call = under_way_.rbegin(); call != under_way_.rend(); ++call)
    if (auto seen = seen_from(diagnostic, call->call)) return seen;
  return std::nullopt;
}

void Calls::report(const UserError& error) {
  Diagnostic diagnostic = error.diagnostic();
  if (!under_way_.empty() && under_way_.back().call.is_known()) {
    if (auto seen = seen_from_calls(diagnostic)) diagnostic = *seen;
    else diagnostic.related(under_way_.back().call, "called here");
  }
  evaluator_.findings.report(std::move(diagnostic), evaluator_.domain.caught_error_from());
}

void Calls::statement_failed(const UserError& error) {
  if (error.diagnostic().kind() == Kind::interrupted) throw error;
  if (error.diagnostic().kind() == Kind::call_too_deep) {
    if (!under_way_.empty()) throw error;
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
    const auto [entry, is_new] = assigned_by_.try_emplace(function->signature);
    if (is_new)
      entry->second = assigned_in(
          {function->signature->declared, function->result, function->block, function->expression, nullptr});
    for (const Name name : entry->second) {
      const auto found = function->scope->find(name, function->reached ? function->visible : ~size_t{0});
      if (!found.binding || !may_be_reassigned(found.binding->value)) continue;
      const HostValue next = unknown(found.binding->value.is<Text>() ? UnknownKind::kString : UnknownKind::kAny);
      domain.assigns(*found.binding, *found.scope, next, evaluator_.undo);
    }
    parts.insert(entry->second.begin(), entry->second.end());
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
  const Activation& call = under_way_.back();
  constexpr int kMostTimes = 12;
  int times = 0;
  // If `other` may have returned already, the calls above it are reached only under that condition.
  bool conditional = false;
  for (auto other = under_way_.rbegin() + 1; other != under_way_.rend(); ++other) {
    conditional = conditional || other->uncertainty < call.uncertainty || !other->maybe_results.empty();
    if (!conditional || other->function != call.function) continue;
    if (other->argument_types == call.argument_types || ++times == kMostTimes) return Recursion::kEndless;
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
  if (under_way_.size() >= kMaxCalls) too_deep(signature.name, arguments.span, "called");
  const OwnScope scope = evaluator_.nested(function);
  bind_parameters(signature, arguments, scope);
  return enter(function, arguments.span, scope);
}

bool Calls::is_direct(const Function& function, const ast::CallExpr& call) {
  const std::vector<syntax::Parameter>& parameters = function.signature->parameters;
  if (call.arguments.size() != parameters.size()) return false;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (call.arguments[i].label || call.arguments[i].target || parameters[i].kind == syntax::ParameterKind::kShaped)
      return false;
  return true;
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
  if (under_way_.size() >= kMaxCalls) too_deep(function.signature->name, span, "called");
  inner->number = graph::last_node_id();
  return enter(function, span, inner);
}

HostValue Calls::enter(const Function& function, Span span, const ScopePtr& scope) {
  AbstractDomain& domain = evaluator_.domain;
  const syntax::Signature& signature = *function.signature;
  const Entered entered(*this, &signature, signature.name, span);
  Activation& call = under_way_.back();
  call.callee = &function;
  call.scope = &*scope;
  call.promised = function.result;
  if (domain.is_abstract()) {
    evaluator_.uncalled.called(&signature);
    for (const Binding& binding : scope->bindings) {
      const bool host_number = is_number(binding.value) && !binding.value.is<bool>();
      call.argument_types += host_number ? "number;" : describe(binding.value) + ";";
    }
    const Recursion recursion = this->recursion();
    if (recursion == Recursion::kEndless) return result_of_recursion(span);
    if (recursion == Recursion::kInDoubt && domain.is_check()) {
      const Findings::Trial dropped(evaluator_.findings);
      try {
        return run_function(function, span, scope);
      } catch (const UserError& error) {
        if (error.diagnostic().kind() == Kind::call_too_deep || error.diagnostic().kind() == Kind::interrupted) throw;
        domain.caught_error_from();
      }
      return result_of_recursion(span);
    }
  }
  return run_function(function, span, scope);
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
    if (function.expression) {
      HostValue result = evaluator_.evaluate(*function.expression, scope);
      keep_promise(result, function.expression->span, scope);
      return result;
    }
    const BlockInfo& info = evaluator_.blocks.info(*function.block);
    if (info.only_chooses && !domain.is_abstract()) {
      HostValue result = choose(*function.block, scope, returned);
      if (returned) return result;
    } else returned = evaluator_.run_block(*function.block, info, scope) == Flow::kReturn;
  } catch (const UserError& error) {
    if (auto seen = seen_from(error.diagnostic(), span)) throw UserError(*seen);
    throw;
  }
  HostValue result = result_of(under_way_.back(), returned, evaluator_.findings.count() != errors_before, function);
  if (auto& rest = under_way_.back().rest) rest->end();
  return result;
}

HostValue Calls::choose(const ast::Block& block, const ScopePtr& scope, bool& returned) {
  for (const ast::Stmt& stmt : block.statements) {
    evaluator_.interrupt.poll(stmt.span);
    evaluator_.builder.span = stmt.span;
    if (auto* end = stmt.as<ast::ReturnStmt>()) {
      HostValue result = end->value ? evaluator_.evaluate(*end->value, scope) : HostValue();
      keep_promise(result, end->value ? end->value->span : stmt.span, scope);
      returned = true;
      return result;
    }
    const auto& choice = *stmt.as<ast::IfStmt>();
    const ast::Block* taken = choice.otherwise ? &*choice.otherwise : nullptr;
    for (const ast::IfStmt::Branch& branch : choice.branches) {
      const HostValue holds = evaluator_.evaluate(*branch.condition, scope);
      const bool* const known = holds.as<bool>();
      if (!(known ? *known : *evaluator_.convert.to_condition(holds, branch.condition->span))) continue;
      taken = &branch.body;
      break;
    }
    if (taken == nullptr) continue;
    HostValue result = choose(*taken, scope, returned);
    if (returned) return result;
  }
  return {};
}

HostValue Calls::result_of(Activation& call, bool returned, bool reported, const Function& function) {
  if (returned && call.maybe_results.empty()) [[likely]]
    return std::move(call.result);
  if (returned) return join_results(call, std::move(call.result));
  if (call.maybe_results.empty()) {
    // After an error the walk may have missed a `return`.
    if (*function.result && !reported) {
      const Span promised = std::visit([](const auto& annotation) { return annotation.span; }, **function.result);
      fail(Diagnostic(Kind::type_mismatch, promised,
                      fmt::format("expected a result, and `{}` ended without a `return`", call.name.text()))
               .help("`return …` gives the result to the caller"));
    }
    return HostValue();
  }
  // One path returned a value, and the last one reached the end of the block. After an error any value is possible.
  for (const HostValue& other : call.maybe_results) {
    if (other.is_poison()) return Poison{};
  }
  return join_results(call, evaluator_.domain.is_check() ? HostValue() : call.maybe_results[0]);
}

HostValue Calls::join_results(const Activation& call, HostValue last) {
  for (const HostValue& other : call.maybe_results) {
    if (are_apart(other, last))
      fail(Diagnostic(Kind::branch_types_differ, call.call,
                      fmt::format("`{}` returns {} or {}", call.name.text(), describe(other), describe(last))));
    last = evaluator_.domain.merge(other, last);
  }
  return last;
}

bool Calls::makes_instance() const {
  return std::any_of(under_way_.begin(), under_way_.end(), [](const Activation& call) { return call.makes_instance; });
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
  if (under_way_.size() >= kMaxCalls) too_deep(declaration.name.name, arguments.span, "made");
  auto scope = std::make_shared<Scope>(model->scope, model->reached ? model->visible : model->scope->bindings.size(),
                                       domain.uncertainty());
  scope->named = model->named;
  bind_parameters(*declaration.signature, arguments, scope);
  if (domain.is_abstract()) evaluator_.uncalled.called(model->declaration);
  const int64_t first = evaluator_.variables.last();
  const bool is_outermost = !makes_instance() && !evaluator_.cuts.iteration();
  const int64_t first_node = is_outermost ? graph::new_node_id() : 0;
  std::optional<ForgetsUnnamed> forgets;
  if (is_outermost) forgets.emplace(evaluator_.variables);
  const auto waits = evaluator_.cuts.wait();
  {
    const Entered entered(*this, model->declaration, declaration.name.name, arguments.span);
    under_way_.back().promised = &kNoPromise;
    under_way_.back().makes_instance = true;
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
