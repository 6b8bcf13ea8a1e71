#include "eval/evaluator.h"
#include "support/stack_budget.h"
#include "support/text.h"

namespace mtf {
namespace {

/// A seed is a number that stands in the graph, a double: beyond this two seeds would be one.
constexpr int64_t kMaxSeed = int64_t{1} << 53;

}  // namespace

ScopePtr Evaluator::nested(const ScopePtr& scope) const {
  return std::make_shared<Scope>(scope, scope->bindings.size(), uncertain);
}

bool Evaluator::abstract() const { return engine_ == nullptr || (engine_->dry() && !engine_->is_reference()); }

std::optional<Diagnostic> Evaluator::seen_from(const Diagnostic& diagnostic, Span call) const {
  const std::string folder = settings.stdlib.empty() ? MTF_STDLIB_DIR : settings.stdlib;
  auto in_library = [&](Span span) { return span.is_known() && span.file->name().rfind(folder, 0) == 0; };
  if (!call.is_known() || in_library(call) || !in_library(diagnostic.span())) return std::nullopt;
  Diagnostic seen(diagnostic.kind(), call, diagnostic.label());
  for (size_t i = 0; i < diagnostic.places().size(); ++i) {
    const LabeledSpan& place = diagnostic.places()[i];
    seen.related(place.span, i == 0 ? "inside" : place.label);
  }
  for (const std::string& help : diagnostic.helps()) seen.help(help);
  for (const std::string& note : diagnostic.notes()) seen.note(note);
  return seen;
}

void Evaluator::add_diagnostic(const UserError& error) {
  Diagnostic diagnostic = error.diagnostic();
  if (!activations.empty() && activations.back().call.is_known()) {
    if (auto seen = seen_from(diagnostic, activations.back().call)) diagnostic = *seen;
    else diagnostic.related(activations.back().call, "called here");
  }
  diagnostics->add(std::move(diagnostic));
  end_after_many_errors();
}

void Evaluator::note_failure(const UserError& error) {
  // Every other way that the calls under way may go would end at the same limit: all of them end here.
  if (error.diagnostic().kind() == Kind::call_too_deep) {
    if (!activations.empty()) throw error;
    calls_end_ = true;
  }
  add_diagnostic(error);
}

void Evaluator::end_after_many_errors() const {
  constexpr size_t kMostErrors = 100;
  if (diagnostics->list().size() >= kMostErrors) throw CheckEnded();
}

void Evaluator::count_check_steps(Span span, size_t steps) {
  constexpr int64_t kMostSteps = 4'000'000;
  if (!checking() || !diagnostics) return;
  check_steps_ += static_cast<int64_t>(steps);
  if (check_steps_ <= kMostSteps) return;
  diagnostics->add(Diagnostic(Kind::check_cut_short, span, fmt::format("{} expressions were evaluated up to here", thousands(kMostSteps)))
                       .help("the rest is checked when it runs"));
  throw CheckEnded();
}

void Evaluator::hoist(const ast::Block& block, const ScopePtr& scope) {
  for (const ast::Stmt& stmt : block.statements) {
    const ast::Ident* ident = nullptr;
    HostValue value;
    if (auto* fn = stmt.as<ast::FnStmt>()) {
      ident = &fn->name;
      auto function = std::make_shared<Function>();
      function->name = fn->name.name;
      function->parameters = &fn->parameters;
      function->result = &fn->result;
      function->block = std::get_if<ast::Block>(&fn->body);
      if (auto* body = std::get_if<ast::ExprPtr>(&fn->body)) function->expression = body->get();
      function->span = fn->signature_span;
      function->doc = stmt.doc;
      function->scope = scope;
      if (checking()) declared_functions_.push_back(function);
      value = FunctionPtr(function);
    } else if (auto* declaration = stmt.as<ast::ModelStmt>()) {
      ident = &declaration->name;
      auto model = std::make_shared<ModelClass>();
      model->declaration = declaration;
      model->doc = stmt.doc;
      model->scope = scope;
      if (checking()) declared_models_.push_back(model);
      value = ModelClassPtr(model);
    } else {
      continue;
    }
    scope->capture();
    bool known = false;
    for (Binding& binding : scope->hoisted) {
      if (binding.name != ident->name) continue;
      known = true;
      if (binding.span.file == ident->span.file && binding.span.begin != ident->span.begin) {
        Diagnostic diagnostic(Kind::duplicate_declaration, ident->span, fmt::format("`{}` is declared again", ident->name.text()));
        diagnostic.related(binding.span, "first here");
        if (!diagnostics) fail(std::move(diagnostic));
        diagnostics->add(std::move(diagnostic));
      }
      binding.value = value;
      binding.span = ident->span;
    }
    if (!known) scope->hoisted.push_back({ident->name, value, ident->span});
  }
}

Flow Evaluator::run_block(const ast::Block& block, const ScopePtr& scope, bool keep_all) {
  hoist(block, scope);
  const BlockInfo& info = infos.of(block);
  frames.push_back({&info, 0, scope, activation, keep_all});
  PopLast pop(frames);
  for (size_t i = 0; i < block.statements.size(); ++i) {
    frames.back().statement = i;
    if (run_statement(block.statements[i], scope) == Flow::kReturn) {
      end_block(info, *scope, keep_all);
      return Flow::kReturn;
    }
    end_statement(info, i, *scope, keep_all);
  }
  end_block(info, *scope, keep_all);
  return Flow::kNext;
}

void Evaluator::end_block(const BlockInfo& info, Scope& scope, bool keep_all) const {
  if (!engine_ || keep_all || !scope.captured) return;
  // Functions made here may live on: they hold what they name.
  for (Binding& binding : scope.bindings)
    if (!info.captured.count(binding.name)) binding.value = None{};
}

Flow Evaluator::run_statement(const ast::Stmt& stmt, const ScopePtr& scope) {
  if (!diagnostics) return statement(stmt, scope);
  try {
    return statement(stmt, scope);
  } catch (const UserError& error) {
    note_failure(error);
    poison_bindings(stmt, scope);
    return Flow::kNext;
  }
}

HostValue Evaluator::assertion(const ast::Expr& condition, const ScopePtr& scope, std::optional<std::pair<HostValue, HostValue>>& compared) {
  auto* binary = condition.as<ast::BinaryExpr>();
  if (!binary || binary->op < ast::BinaryOp::kEqual || binary->op > ast::BinaryOp::kGreaterEqual) return evaluate(condition, scope);
  HostValue left = evaluate(*binary->left, scope);
  compared.emplace(left, evaluate(*binary->right, scope));
  return binary_of(condition, *binary, compared->first, compared->second);
}

Flow Evaluator::statement(const ast::Stmt& stmt, const ScopePtr& scope) {
  check_stack(stmt.span, Kind::call_too_deep);
  poll(stmt.span);
  builder.span = stmt.span;
  const ast::Stmt::Node& node = stmt.node;
  if (auto* s = std::get_if<ast::LetStmt>(&node)) {
    bind_pattern(*s->pattern, evaluate(*s->value, scope), scope);
  } else if (auto* s = std::get_if<ast::AssignStmt>(&node)) {
    assign(*s, scope);
  } else if (auto* s = std::get_if<ast::ForStmt>(&node)) {
    return run_for(*s, scope);
  } else if (auto* s = std::get_if<ast::IfStmt>(&node)) {
    return run_if(*s, scope);
  } else if (auto* s = std::get_if<ast::WhileStmt>(&node)) {
    return run_while(*s, scope);
  } else if (auto* s = std::get_if<ast::NoGradStmt>(&node)) {
    Restore restore(builder.context.no_grad);
    builder.context.no_grad = true;
    return run_block(s->body, nested(scope));
  } else if (auto* s = std::get_if<ast::ReturnStmt>(&node)) {
    HostValue result = s->value ? evaluate(*s->value, scope) : HostValue();
    if (activations.empty()) fail(Kind::return_outside_fn, stmt.span);
    Activation& call = activations.back();
    if (*call.result_annotation && !result.is_poison()) {
      Activation* keep = &call;
      result = check_annotation(**keep->result_annotation, std::move(result), s->value ? s->value->span : stmt.span, scope,
                                "the result of `" + call.name + "`", {});
    }
    activations.back().result = std::move(result);
    return Flow::kReturn;
  } else if (auto* s = std::get_if<ast::ExprStmt>(&node)) {
    HostValue value = evaluate(*s->value, scope);
    watch(*scope, value);
  } else if (auto* s = std::get_if<ast::AssertStmt>(&node)) {
    std::optional<std::pair<HostValue, HostValue>> compared;
    HostValue value = assertion(*s->condition, scope, compared);
    std::optional<bool> holds = to_condition(value, s->condition->span);
    HostValue message = s->message && (!holds || !*holds) ? evaluate(*s->message, scope) : HostValue();
    if (holds && !*holds && uncertain == 0) {
      std::string found;
      if (compared) {
        const auto& [left, right] = *compared;
        auto small = [&](const HostValue& v) { return !tensor_of(v) || tensor_of(v)->dims().empty(); };
        const bool known = !left.is_unknown() && !right.is_unknown() && !(abstract() && (tensor_of(left) || tensor_of(right)));
        if (small(left) && small(right) && known) found = display(left) + " " + std::string(ast::to_text(s->condition->as<ast::BinaryExpr>()->op)) + " " + display(right);
      }
      Diagnostic diagnostic(Kind::assertion_failed, s->condition->span, found.empty() ? "this is false" : found);
      if (auto* given = message.as<Text>()) diagnostic.note(**given);
      fail(std::move(diagnostic));
    }
  } else if (auto* s = std::get_if<ast::DimStmt>(&node)) {
    declare_dims(*s, scope);
  } else if (auto* s = std::get_if<ast::MeshStmt>(&node)) {
    declare_mesh(*s, scope);
  } else if (auto* s = std::get_if<ast::LayoutStmt>(&node)) {
    declare_layout(*s, scope);
  } else if (auto* s = std::get_if<ast::UseStmt>(&node)) {
    use(*s, scope);
  } else if (auto* s = std::get_if<ast::OptionStmt>(&node)) {
    declare_option(*s, scope);
  } else if (auto* s = std::get_if<ast::SeedStmt>(&node)) {
    HostValue value = evaluate(*s->value, scope);
    if (!value.is_poison()) {
      const int64_t seed = to_int(value, s->value->span, "a seed").value_or(0);
      if (seed < -kMaxSeed || seed > kMaxSeed) fail(Kind::bad_value, s->value->span, "expected a number from -2^53 to 2^53, found {}", seed);
      builder.context.seed = static_cast<double>(seed);
      builder.context.random_calls = 0;
    }
  } else if (auto* s = std::get_if<ast::PrecisionStmt>(&node)) {
    std::string_view type = s->element_type.name.text();
    if (type != "bf16" && type != "f32") fail(Kind::bad_value, s->element_type.span, "expected bf16 or f32, found {}", type);
    builder.context.multiply_bf16 = type == "bf16";
  } else if (auto* s = std::get_if<ast::ImportStmt>(&node)) {
    import(*s, scope);
  } else if (auto* s = std::get_if<ast::ParamStmt>(&node)) {
    declare_param(*s, scope, stmt.doc);
  } else if (auto* s = std::get_if<ast::FnStmt>(&node)) {
    // From here on it sees the bindings made so far.
    Binding* binding = nullptr;
    for (Binding& b : scope->hoisted) {
      if (b.name == s->name.name) binding = &b;
    }
    if (binding) {
      if (auto* fn = binding->value.as<FunctionPtr>()) {
        (*fn)->visible = scope->bindings.size();
        (*fn)->reached = true;
      }
    }
  } else if (auto* s = std::get_if<ast::ModelStmt>(&node)) {
    for (Binding& b : scope->hoisted) {
      if (b.name != s->name.name) continue;
      if (auto* model = b.value.as<ModelClassPtr>()) {
        (*model)->visible = scope->bindings.size();
        (*model)->reached = true;
      }
    }
  }
  return Flow::kNext;
}

void Evaluator::bind(const ScopePtr& scope, const ast::Ident& name, HostValue value) {
  if (auto* tensor = value.as<Handle>(); tensor && tensor->value().node->name.empty()) tensor->value().node->name = name.name;
  watch(*scope, value);
  scope->bind(name.name, std::move(value), name.span);
}

void Evaluator::bind_pattern(const ast::Pattern& pattern, HostValue value, const ScopePtr& scope) {
  if (auto* ident = std::get_if<ast::Ident>(&pattern.node)) {
    bind(scope, *ident, std::move(value));
    return;
  }
  const auto& parts = std::get<ast::TuplePattern>(pattern.node).parts;
  if (value.is_poison() || value.is_unknown()) {
    for (const auto& part : parts) bind_pattern(*part, value, scope);
    return;
  }
  auto* list = value.as<ListPtr>();
  if (!list) {
    fail(Kind::type_mismatch, pattern.span, "expected {} values, found {}", parts.size(), describe(value));
  }
  if ((*list)->items.size() != parts.size()) {
    fail(Kind::wrong_arity, pattern.span, "expected {} values, found {}", parts.size(), describe(value));
  }
  for (size_t i = 0; i < parts.size(); ++i) bind_pattern(*parts[i], (*list)->items[i], scope);
}

void Evaluator::poison_bindings(const ast::Stmt& stmt, const ScopePtr& scope) {
  std::vector<ast::Ident> names;
  if (auto* s = stmt.as<ast::LetStmt>()) names_of(*s->pattern, names);
  if (auto* s = stmt.as<ast::DimStmt>()) {
    for (const auto& item : s->items) {
      if (!scope->find_own(item.name.name)) names.push_back(item.name);
    }
  }
  if (auto* s = stmt.as<ast::MeshStmt>()) names.push_back(s->name);
  if (auto* s = stmt.as<ast::LayoutStmt>()) names.push_back(s->name);
  if (auto* s = stmt.as<ast::OptionStmt>()) names.push_back(s->name);
  if (auto* s = stmt.as<ast::ParamStmt>()) names.push_back(s->name);
  if (auto* s = stmt.as<ast::ImportStmt>()) {
    for (const auto& item : s->items) {
      if (!scope->find_own(item.bound.name)) names.push_back(item.bound);
    }
  }
  for (const ast::Ident& ident : names) scope->bind(ident.name, Poison{}, ident.span);
  if (stmt.as<ast::ReturnStmt>() && !activations.empty()) activations.back().maybe_results.push_back(Poison{});
}

}  // namespace mtf
