#include "eval/declarations.h"
#include "eval/evaluator.h"
#include "eval/replay.h"
#include "eval/span_table.h"
#include "support/interrupt.h"
#include "support/stack_budget.h"
#include "support/text.h"
#include "syntax/walk.h"

namespace mtf::eval {
namespace {

template <typename Form, typename... Others>
constexpr bool kIsOneOf = (std::is_same_v<Form, Others> || ...);

/// The effects of a form of statement, without those of the expressions and blocks in it. Binding a name of its scope
/// is none. A form that is not listed does not compile.
template <typename Form>
constexpr Effects effects_of_form() {
  using namespace ast;  // NOLINT: the names of all statements
  if constexpr (kIsOneOf<Form, LetStmt, AssignStmt, ExprStmt, AssertStmt, LanguageStmt, DimStmt, FnStmt, ForStmt,
                         WhileStmt, IfStmt, BreakStmt, ContinueStmt, NoGradStmt, ReturnStmt>) {
    return Effects::kNone;
  } else if constexpr (kIsOneOf<Form, SeedStmt>) {
    return Effects::kRandom;
  } else {
    static_assert(kIsOneOf<Form, MeshStmt, LayoutStmt, UseStmt, OptionStmt, SettingStmt, PrecisionStmt, ImportStmt,
                           ParamStmt, ModelStmt, WithStmt>);
    return Effects::kWrites;
  }
}

template <typename... Forms>
Effects effects_of(const std::variant<Forms...>& statement) {
  static constexpr Effects kEffects[] = {effects_of_form<Forms>()...};
  return kEffects[statement.index()];
}

/// Searches an expression for a part that may have an effect.
class EffectSearch : private ast::Walk {
 public:
  EffectSearch(Builtins& builtins, Scope& scope) : builtins_(builtins), scope_(scope) {}
  bool any_in(const ast::Expr& e) {
    expr(e);
    return any_;
  }

 private:
  void expr(const ast::Expr& e) override {
    if (e.as<ast::CountersExpr>()) any_ = true;
    if (auto* call = e.as<ast::CallExpr>()) any_ = any_ || !is_pure(*call->callee);
    if (!any_ && !e.as<ast::LambdaExpr>()) Walk::expr(e);
  }
  bool is_pure(const ast::Expr& callee) const {
    auto* name = callee.as<ast::NameExpr>();
    if (!name || scope_.find(name->name).binding) return false;
    const HostValue* const known = builtins_.find(name->name);
    auto* builtin = known ? known->as<BuiltinPtr>() : nullptr;
    return known && (known->is<OperationPtr>() || (builtin && (*builtin)->effects.none()));
  }

  Builtins& builtins_;
  Scope& scope_;
  bool any_ = false;
};

}  // namespace

void Evaluator::warn_of_unused(const ast::Expr& expr, Scope& scope) {
  if (&scope == counted_scope_ || EffectSearch(builtins, scope).any_in(expr)) return;
  findings.warn(Diagnostic(Kind::unused_value, expr.span, "nothing uses this value")
                    .help("`print(…)` shows a value, `let name = …` keeps it, and `return …` gives it to the caller"));
}

void Evaluator::hoist(const ast::Block& block, const ScopePtr& scope) {
  for (const ast::Stmt& stmt : block.statements) {
    if (auto* fn = stmt.as<ast::FnStmt>()) {
      auto function = std::make_shared<Function>();
      function->name = fn->name.name;
      function->signature = fn->signature.get();
      function->text = ast::text_of(*fn);
      function->doc = stmt.doc;
      function->scope = scope;
      uncalled.declared(function);
      declare_ahead(fn->name, FunctionPtr(function), scope);
    } else if (auto* declaration = stmt.as<ast::ModelStmt>()) {
      auto model = std::make_shared<ModelClass>();
      model->declaration = declaration;
      model->doc = stmt.doc;
      model->scope = scope;
      uncalled.declared(model);
      declare_ahead(declaration->name, ModelClassPtr(model), scope);
    }
  }
}

void Evaluator::declare_ahead(const ast::Ident& name, HostValue value, const ScopePtr& scope) {
  scope->capture();
  const Binding* const known = scope->find_hoisted(name.name);
  if (known && known->span.file == name.span.file && known->span.begin != name.span.begin) {
    findings.report(
        Diagnostic(Kind::duplicate_declaration, name.span, fmt::format("`{}` is declared again", name.name.text()))
            .related(known->span, "first here"));
  }
  scope->declare(name.name, std::move(value), name.span);
}

Flow Evaluator::run_block(const ast::Block& block, const ScopePtr& scope, bool keep_all, Replay* replay) {
  const ast::BlockFacts& info = *block.facts;
  if (info.declares_functions) hoist(block, scope);
  OpenBlocks::Entered entered = blocks.enter(info, scope, !keep_all);
  HeedsInterrupt heeds(interrupt, block.span);
  for (size_t i = 0; i < block.statements.size(); ++i) {
    entered.at(i);
    if (replay != nullptr) {
      const size_t next = replay->next_of(i, scope);
      if (next == block.statements.size()) break;
      if (next != i) entered.at(i = next);
    }
    heeds.at(block.statements[i].span);
    if (const Flow flow = run_statement(block.statements[i], scope); flow != Flow::kNext) {
      cuts.end_block(info, *scope, keep_all);
      return flow;
    }
    cuts.end_statement(info, i, *scope, keep_all);
  }
  cuts.end_block(info, *scope, keep_all);
  return Flow::kNext;
}

Flow Evaluator::run_statement(const ast::Stmt& stmt, const ScopePtr& scope) {
  if (!findings.collects()) return statement(stmt, scope);
  try {
    const Flow flow = statement(stmt, scope);
    if (spans_) [[unlikely]]
      spans_->declared(stmt, *scope);
    return flow;
  } catch (const UserError& error) {
    calls.statement_failed(error);
    poison_bindings(stmt, scope);
    // What stands behind a `return` is not reached, so its errors are no errors.
    return stmt.as<ast::ReturnStmt>() && calls.has_returned_poison() ? Flow::kReturn : Flow::kNext;
  }
}

Flow Evaluator::statement(const ast::Stmt& stmt, const ScopePtr& scope) {
  check_stack(stmt.span, Kind::call_too_deep);
  check_interrupt();
  builder.span = stmt.span;
  replays.has(effects_of(stmt.node));
  // One object with three pointers is cheaper than a lambda for each form, which each statement would construct anew.
  struct Run {
    Evaluator& evaluator;
    const ast::Stmt& stmt;
    const ScopePtr& scope;

    Flow operator()(const ast::LetStmt& s) const { return evaluator.let(s, scope), Flow::kNext; }
    Flow operator()(const ast::AssignStmt& s) const { return evaluator.assign(s, scope), Flow::kNext; }
    Flow operator()(const ast::ExprStmt& s) const {
      HostValue value = evaluator.evaluate(*s.value, scope);
      if (evaluator.domain.is_check() && !value.is_poison()) evaluator.warn_of_unused(*s.value, *scope);
      return evaluator.cuts.made(*scope, value), Flow::kNext;
    }
    Flow operator()(const ast::AssertStmt& s) const { return evaluator.check_assertion(s, scope), Flow::kNext; }
    Flow operator()(const ast::LanguageStmt&) const { return Flow::kNext; }  // the parser has read it
    Flow operator()(const ast::DimStmt& s) const { return declare(evaluator, s, scope), Flow::kNext; }
    Flow operator()(const ast::MeshStmt& s) const { return declare(evaluator, s, scope), Flow::kNext; }
    Flow operator()(const ast::LayoutStmt& s) const { return declare(evaluator, s, scope), Flow::kNext; }
    Flow operator()(const ast::UseStmt& s) const { return use(evaluator, s, scope), Flow::kNext; }
    Flow operator()(const ast::OptionStmt& s) const { return declare(evaluator, s, scope), Flow::kNext; }
    Flow operator()(const ast::SettingStmt& s) const { return declare(evaluator, s, scope), Flow::kNext; }
    Flow operator()(const ast::SeedStmt& s) const { return set_seed(evaluator, s, scope), Flow::kNext; }
    Flow operator()(const ast::PrecisionStmt& s) const { return set_precision(evaluator, s), Flow::kNext; }
    Flow operator()(const ast::ImportStmt& s) const { return evaluator.modules.import(s, scope), Flow::kNext; }
    Flow operator()(const ast::ParamStmt& s) const { return evaluator.variables.declare(s, scope), Flow::kNext; }
    Flow operator()(const ast::FnStmt& s) const { return evaluator.reach(s, *scope), Flow::kNext; }
    Flow operator()(const ast::ModelStmt& s) const { return evaluator.reach(s, *scope), Flow::kNext; }
    Flow operator()(const ast::ForStmt& s) const { return evaluator.loops.run(s, scope); }
    Flow operator()(const ast::WhileStmt& s) const { return evaluator.loops.run(s, scope); }
    Flow operator()(const ast::IfStmt& s) const { return evaluator.branches.run(s, scope); }
    Flow operator()(const ast::BreakStmt&) const { return Flow::kBreak; }
    Flow operator()(const ast::ContinueStmt&) const { return Flow::kContinue; }
    Flow operator()(const ast::WithStmt& s) const { return run_with(evaluator, s, scope); }
    Flow operator()(const ast::NoGradStmt& s) const {
      const Restore inside(evaluator.builder.context.no_grad, true);
      return evaluator.run_block(s.body, evaluator.nested(scope));
    }
    Flow operator()(const ast::ReturnStmt& s) const {
      return evaluator.calls.returns(s, stmt.span, scope), Flow::kReturn;
    }
  };
  return std::visit(Run{*this, stmt, scope}, stmt.node);
}

void Evaluator::let(const ast::LetStmt& stmt, const ScopePtr& scope) {
  bool is_iterations_number = false;
  HostValue value = evaluate_to_hand_on(*stmt.value, scope, is_iterations_number);
  if (stmt.annotation && !value.is_poison()) {
    const ast::Ident& name = std::get<ast::Ident>(stmt.pattern->node);
    value = annotations.check(*stmt.annotation, std::move(value), stmt.value->span, scope,
                              {Annotated::Kind::kName, name.name}, {});
  }
  bind_pattern(*stmt.pattern, std::move(value), scope);
  if (is_iterations_number) [[unlikely]]
    scope->bindings.back().is_iterations_number = true;
}

void Evaluator::reach(const ast::FnStmt& stmt, Scope& scope) {
  const Binding* binding = scope.find_hoisted(stmt.name.name);
  auto* function = binding ? binding->value.as<FunctionPtr>() : nullptr;
  if (!function) return;
  (*function)->visible = scope.bindings.size();
  (*function)->named = scope.names(stmt.facts->captured, (*function)->visible);
  (*function)->reached = true;
}

void Evaluator::reach(const ast::ModelStmt& stmt, Scope& scope) {
  const Binding* binding = scope.find_hoisted(stmt.name.name);
  auto* model = binding ? binding->value.as<ModelClassPtr>() : nullptr;
  if (!model) return;
  (*model)->visible = scope.bindings.size();
  (*model)->named = scope.names(stmt.facts->captured, (*model)->visible);
  (*model)->reached = true;
}

HostValue Evaluator::assertion(const ast::Expr& condition, const ScopePtr& scope,
                               std::optional<std::pair<HostValue, HostValue>>& compared) {
  auto* binary = condition.as<ast::BinaryExpr>();
  if (!binary || binary->op < ast::BinaryOp::kEqual || binary->op > ast::BinaryOp::kGreaterEqual)
    return evaluate(condition, scope);
  HostValue left = evaluate(*binary->left, scope);
  compared.emplace(left, evaluate(*binary->right, scope));
  return operations.operate(binary->op, compared->first, compared->second, spans_of(condition, *binary));
}

void Evaluator::check_assertion(const ast::AssertStmt& stmt, const ScopePtr& scope) {
  std::optional<std::pair<HostValue, HostValue>> compared;
  const HostValue value = assertion(*stmt.condition, scope, compared);
  const std::optional<bool> holds = convert.to_condition(value, stmt.condition->span);
  // The message is evaluated only if it is shown, and in a check that cannot rule out a failure.
  const bool fails = holds && !*holds && domain.uncertainty() == 0;
  const bool is_checked = domain.is_check() && !(holds && *holds);
  const HostValue message = stmt.message && (fails || is_checked) ? evaluate(*stmt.message, scope) : HostValue();
  if (!fails) return;
  std::string found = "this is false";
  if (compared) {
    const auto& [left, right] = *compared;
    auto small = [&](const HostValue& v) { return !tensor_of(v) || tensor_of(v)->dims().empty(); };
    const bool known =
        !left.is_unknown() && !right.is_unknown() && !(domain.is_abstract() && (tensor_of(left) || tensor_of(right)));
    if (small(left) && small(right) && known) {
      found = display.text(left) + " " + std::string(ast::to_text(stmt.condition->as<ast::BinaryExpr>()->op)) + " " +
              display.text(right);
    }
  }
  Diagnostic diagnostic(Kind::assertion_failed, stmt.condition->span, found);
  if (auto* given = message.as<Text>()) diagnostic.note(**given);
  fail(std::move(diagnostic));
}

void Evaluator::give_name(const graph::Value& value, Name name) {
  graph::Node& node = *value.node;
  if (node.name.empty() && (node.is_of(nullptr) || node.is_of(table_.get()))) node.name = name;
}

void Evaluator::bind(const ScopePtr& scope, const ast::Ident& name, HostValue&& value) {
  if (auto* tensor = value.as<graph::Handle>()) give_name(tensor->value(), name.name);
  cuts.made(*scope, value);
  if (spans_) [[unlikely]]
    spans_->binding(name.span, value);
  scope->bind(name.name, std::move(value), name.span);
}

void Evaluator::bind_pattern(const ast::Pattern& pattern, HostValue&& value, const ScopePtr& scope) {
  if (auto* ident = std::get_if<ast::Ident>(&pattern.node)) {
    bind(scope, *ident, std::move(value));
    return;
  }
  const auto& parts = std::get<ast::TuplePattern>(pattern.node).parts;
  const HostValue whole = std::move(value);  // released after the binding, so that only the names hold the parts
  if (!whole.is_known()) {
    for (const auto& part : parts) bind_pattern(*part, HostValue(whole), scope);
    return;
  }
  auto* list = whole.as<ListPtr>();
  if (!list) { fail(Kind::type_mismatch, pattern.span, "expected {} values, found {}", parts.size(), describe(whole)); }
  if ((*list)->items.size() != parts.size()) {
    fail(Kind::wrong_arity, pattern.span, "expected {} values, found {}", parts.size(), describe(whole));
  }
  for (size_t i = 0; i < parts.size(); ++i) bind_pattern(*parts[i], HostValue((*list)->items[i]), scope);
}

void Evaluator::poison_bindings(const ast::Stmt& stmt, const ScopePtr& scope) {
  // These statements may have bound some names before the error: functions and models are bound before all statements,
  // dims and modules one by one.
  const bool may_be_bound =
      stmt.as<ast::DimStmt>() || stmt.as<ast::ImportStmt>() || stmt.as<ast::FnStmt>() || stmt.as<ast::ModelStmt>();
  for (const ast::Ident& ident : ast::names_bound_by(stmt)) {
    if (!may_be_bound || !scope->find_own(ident.name)) scope->bind(ident.name, Poison{}, ident.span);
  }
  // The names that the statement would have assigned become poison too, if the old value does not tell the new type.
  NameSet assigned;
  const auto add = [&](const ast::Block& block) {
    const NameSet& names = block.facts->assigns;
    assigned.insert(names.begin(), names.end());
  };
  if (auto* assignment = stmt.as<ast::AssignStmt>()) {
    if (auto* name = assignment->target->as<ast::NameExpr>()) assigned.insert(name->name);
  } else if (auto* choice = stmt.as<ast::IfStmt>()) {
    for (const ast::IfStmt::Branch& branch : choice->branches) add(branch.body);
    if (choice->otherwise) add(*choice->otherwise);
  } else if (auto* loop = stmt.as<ast::ForStmt>()) {
    add(loop->body);
  } else if (auto* loop = stmt.as<ast::WhileStmt>()) {
    add(loop->body);
  }
  for (const Name name : assigned) {
    const Scope::Found found = scope->find(name);
    if (found.binding && (found.binding->value.is<None>() || found.binding->value.is<ListPtr>()))
      domain.assigns(*found.binding, *found.scope, Poison{}, undo);
  }
}

}  // namespace mtf::eval
