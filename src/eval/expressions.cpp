#include <algorithm>

#include "eval/arithmetic.h"
#include "eval/doubtful.h"
#include "eval/evaluator.h"
#include "eval/limits.h"
#include "eval/span_table.h"
#include "eval/suggestions.h"
#include "eval/variables_below.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/stack_budget.h"
#include "support/text.h"
#include "syntax/foreign.h"

namespace mtf::eval {

HostValue Evaluator::evaluated(const ast::Expr& expr, const ScopePtr& scope) {
  check_stack(expr.span, Kind::call_too_deep);
  if (spans_) [[unlikely]]
    return recorded(expr, scope);
  if (auto* two = expr.as<ast::BinaryExpr>()) return binary(expr, *two, scope);
  if (auto* one = expr.as<ast::CallExpr>()) return call(expr, *one, scope);
  return value_of(expr, scope);
}

[[gnu::noinline]] HostValue Evaluator::recorded(const ast::Expr& expr, const ScopePtr& scope) {
  HostValue value = value_of(expr, scope);
  spans_->expression(expr, value);
  return value;
}

[[gnu::noinline]] HostValue Evaluator::value_of(const ast::Expr& expr, const ScopePtr& scope) {
  // A struct of three pointers: a lambda for each form would be made anew for each expression.
  struct ValueOf {
    Evaluator& evaluator;
    const ast::Expr& expr;
    const ScopePtr& scope;

    HostValue operator()(const ast::IntExpr& e) const { return e.value; }
    HostValue operator()(const ast::FloatExpr& e) const { return e.value; }
    HostValue operator()(const ast::BoolExpr& e) const { return e.value; }
    HostValue operator()(const ast::NoneExpr&) const { return None{}; }
    HostValue operator()(const ast::ElementTypeExpr& e) const { return *parse_element_type(e.name.text()); }
    HostValue operator()(const ast::StringExpr& e) const { return evaluator.text(e, scope); }
    HostValue operator()(const ast::NameExpr& e) const { return evaluator.names.look_up(e, expr.span, scope); }
    HostValue operator()(const ast::RestExpr&) const { return evaluator.rest(expr.span, scope); }
    HostValue operator()(const ast::UnaryExpr& e) const { return evaluator.unary(expr, e, scope); }
    HostValue operator()(const ast::BinaryExpr& e) const { return evaluator.binary(expr, e, scope); }
    HostValue operator()(const ast::RangeExpr& e) const { return evaluator.range(e, scope); }
    HostValue operator()(const ast::ListExpr& e) const { return evaluator.list(e, scope); }
    HostValue operator()(const ast::TupleExpr& e) const { return evaluator.tuple(e, scope); }
    HostValue operator()(const ast::ComprehensionExpr& e) const { return evaluator.comprehension(e, scope); }
    HostValue operator()(const ast::CallExpr& e) const { return evaluator.call(expr, e, scope); }
    HostValue operator()(const ast::IndexExpr& e) const { return evaluator.index(expr, e, scope); }
    HostValue operator()(const ast::AttributeExpr& e) const {
      return evaluator.names.attribute(evaluator.evaluate(*e.object, scope), e.attribute);
    }
    HostValue operator()(const ast::AtExpr& e) const { return evaluator.at(expr, e, scope); }
    HostValue operator()(const ast::LambdaExpr& e) const { return evaluator.lambda(e, scope); }
    HostValue operator()(const ast::CountersExpr& e) const { return evaluator.counters_block(e, scope); }
    HostValue operator()(const ast::IfExpr& e) const { return evaluator.branches.value(e, scope); }
  };
  return std::visit(ValueOf{*this, expr, scope}, expr.node);
}

HostValue Evaluator::evaluate_to_hand_on(const ast::Expr& expr, const ScopePtr& scope, bool& is_iterations_number) {
  if (!replays.follows_numbers()) [[likely]]
    return evaluate(expr, scope);
  auto number = replays.number(
      expr, [&] { return evaluate(expr, scope); }, is_iterations_number);
  if (number) return std::move(*number);
  auto* name = expr.as<ast::NameExpr>();
  const Binding* const binding = name ? scope->find(name->name).binding : nullptr;
  is_iterations_number = binding && binding->is_iterations_number;
  return is_iterations_number ? binding->value : evaluate(expr, scope);
}

HostValue Evaluator::rest(Span span, const ScopePtr& scope) {
  static const Name kRest("..");
  if (auto found = scope->find(kRest); found.binding) return found.binding->value;
  fail(Kind::unknown_name, span, "no argument of this function has `..` in its shape");
}

HostValue Evaluator::list(const ast::ListExpr& list, const ScopePtr& scope) {
  std::vector<HostValue> items;
  items.reserve(list.elements.size());
  bool is_known = true;
  for (const auto& element : list.elements) {
    HostValue item = evaluate(*element, scope);
    if (item.is_poison()) return item;
    if (element->as<ast::RestExpr>()) {
      auto* rest = item.as<ListPtr>();
      if (!rest) {
        is_known = false;
        continue;
      }
      items.insert(items.end(), (*rest)->items.begin(), (*rest)->items.end());
      continue;
    }
    items.push_back(std::move(item));
  }
  return is_known ? make_list(std::move(items)) : unknown(UnknownKind::kAny);
}

HostValue Evaluator::tuple(const ast::TupleExpr& tuple, const ScopePtr& scope) {
  std::vector<HostValue> items;
  for (const auto& element : tuple.elements) items.push_back(evaluate(*element, scope));
  return make_tuple(std::move(items));
}

HostValue Evaluator::lambda(const ast::LambdaExpr& lambda, const ScopePtr& scope) {
  auto function = std::make_shared<Function>();
  function->signature = lambda.signature.get();
  function->text = ast::text_of(lambda);
  function->scope = scope;
  function->visible = scope->bindings.size();
  function->named = scope->names(lambda.facts->captured, function->visible);
  function->reached = true;
  scope->capture();
  uncalled.declared(function);
  return FunctionPtr(function);
}

HostValue Evaluator::unary(const ast::Expr& expr, const ast::UnaryExpr& unary, const ScopePtr& scope) {
  HostValue value = evaluate(*unary.operand, scope);
  if (value.is_poison()) return value;
  const bool negate = unary.op == ast::UnaryOp::kNegate;
  if (tensor_of(value)) {
    Arguments arguments;
    arguments.span = expr.span;
    GivenArgument& operand = arguments.items.emplace_back();
    operand.value = std::move(value);
    operand.span = unary.operand->span;
    return operations.call(*ops::find_op(negate ? "neg" : "logical_not"), arguments);
  }
  if (value.is_unknown()) {
    const UnknownKind kind = unknown_kind(value);
    if (is_open(value)) return value;
    if (negate && is_number(value) && kind != UnknownKind::kBool) return value;
    if (!negate && (kind == UnknownKind::kBool)) return value;
  } else if (negate) {
    if (auto* i = value.as<int64_t>()) {
      if (*i == INT64_MIN) fail(Kind::integer_overflow, expr.span, "-({})", *i);
      return -*i;
    }
    if (auto* d = value.as<double>()) return -*d;
    if (auto* dim = value.as<Dim>()) return -dim->size;
  } else if (auto* b = value.as<bool>()) {
    return !*b;
  }
  fail(Kind::type_mismatch, unary.operand->span, "expected {}, found {}", negate ? "a number" : "a bool",
       describe(value));
}

namespace {

/// True if the operation, between a number and a tensor of floats, adds the same nodes to the graph for every number.
bool hands_numbers_on(ast::BinaryOp op) {
  return op == ast::BinaryOp::kMultiply || op == ast::BinaryOp::kDivide || op == ast::BinaryOp::kAdd ||
         op == ast::BinaryOp::kSubtract;
}

}  // namespace

HostValue Evaluator::binary(const ast::Expr& expr, const ast::BinaryExpr& binary, const ScopePtr& scope) {
  const ast::BinaryOp op = binary.op;
  if (replays.follows_numbers() && hands_numbers_on(op)) [[unlikely]] {
    bool is_left = false, is_right = false;
    const HostValue a = evaluate_to_hand_on(*binary.left, scope, is_left);
    const HostValue b = evaluate_to_hand_on(*binary.right, scope, is_right);
    const graph::Value* const other = tensor_of(is_left ? b : a);
    if ((is_left || is_right) && (!other || !is_float(other->element()))) replays.reads_number();
    return operations.operate(op, a, b, spans_of(expr, binary));
  }
  HostValue a = evaluate(*binary.left, scope);
  if (op == ast::BinaryOp::kAnd || op == ast::BinaryOp::kOr) {
    if (auto* known = a.as<bool>(); known && *known == (op == ast::BinaryOp::kOr)) return a;
    if (a.is_unknown()) {
      const AbstractDomain::Part part(domain);
      domain.may_not_happen();
      Doubtful right(doubts, {binary.left->span, plan::Doubt::Kind::kWays});
      HostValue b = evaluate(*binary.right, scope);
      right.end();
      HostValue both = operations.operate(op, a, b, spans_of(expr, binary));
      // If the left side decides, the result is a bool of the host, and the right side may not be evaluated.
      const bool is_decided = op == ast::BinaryOp::kOr;
      return domain.is_check() && tensor_of(both) ? domain.merge(HostValue(is_decided), both) : both;
    }
  }
  const HostValue b = evaluate(*binary.right, scope);
  if (are_numbers(op, a, b)) return of_numbers(op, a, b, expr.span);
  return operations.operate(op, a, b, spans_of(expr, binary));
}

namespace {

// Suggests a call of another function of an instance that has no `fn call`: the first that takes as many arguments.
Help help_with_call(const Instance& instance, const ast::CallExpr& call) {
  Span behind = call.callee->span;
  behind.begin = behind.end;
  for (const ast::Stmt& stmt : instance.model->declaration->body.statements) {
    const auto* function = stmt.as<ast::FnStmt>();
    if (!function || function->signature->parameters.size() < call.arguments.size()) continue;
    return mtf::help_with("a call of an instance runs `fn call`", {{behind, "." + function->name.name.str()}});
  }
  return "`fn call(x) = x` in the model is what a call of its instance runs";
}

// Suggests `cast(x, f32)` for the call `f32(x)`, and a part of a module for the call of the module.
Help help_with_call_of(const HostValue& callee, const ast::CallExpr& call) {
  const std::string name(call.callee->span.text());
  if (callee.is<ModulePtr>()) return "call a function of it: `" + name + ".…`";
  if (!callee.is<ElementType>()) return "";
  const std::string help = "`cast(x, " + name + ")` gives a tensor another element type";
  if (call.arguments.size() != 1) return help;
  Span begin = call.callee->span, behind = call.arguments[0].value->span;
  behind.begin = behind.end;
  return mtf::help_with(help, {{begin, "cast"}, {behind, ", " + name}});
}

}  // namespace

HostValue Evaluator::range(const ast::RangeExpr& range, const ScopePtr& scope) {
  Range result;
  auto bound = [&](const ast::ExprPtr& expr, bool& open, int64_t& to) {
    if (!expr) {
      open = true;
      return true;
    }
    HostValue value = evaluate(*expr, scope);
    if (value.is_poison()) return false;
    if (auto number = convert.to_int(value, expr->span, "a bound of a range")) to = *number;
    else result.known = false;
    return true;
  };
  if (!bound(range.begin, result.open_first, result.first)) return Poison{};
  if (!bound(range.end, result.open_last, result.last)) return Poison{};
  return result;
}

namespace {

/// The evaluation of a comprehension.
class Comprehension {
 public:
  Comprehension(Evaluator& evaluator, const ast::ComprehensionExpr& comprehension)
      : evaluator_(evaluator), all_(comprehension) {}

  HostValue value(const ScopePtr& scope) {
    if (!walk(0, scope)) return Poison{};
    return all_known_ ? make_list(std::move(items_)) : unknown(UnknownKind::kAny);
  }

 private:
  using Loop = ast::ComprehensionExpr::Loop;

  /// Runs every iteration of a loop and of the loops inside it. False if something is poison.
  bool walk(size_t index, const ScopePtr& scope) {
    const Loop& loop = all_.loops[index];
    check_stack(loop.span, Kind::nesting_too_deep);
    HostValue iterable = evaluator_.evaluate(*loop.iterable, scope);
    if (iterable.is_poison()) return false;
    const Items items = items_of(std::move(iterable), evaluator_, loop.iterable->span);
    if (items.count >= 0 && !items.is_finite) check_list_length(static_cast<size_t>(items.count), loop.iterable->span);
    if (items.count >= 0) return every_iteration(index, items, scope);
    // Only the run knows the number of elements: one element stands for all.
    all_known_ = false;
    bool is_right = true;
    if (evaluator_.domain.is_check()) {
      evaluator_.loops.walk_until_nothing_changes(
          [&] { is_right = iteration(index, items.any(), evaluator_.nested(scope)); }, false);
      return is_right;
    }
    const auto maybe = evaluator_.domain.uncertain();
    Doubtful once(evaluator_.doubts, {loop.iterable->span, plan::Doubt::Kind::kIterations});
    is_right = iteration(index, items.any(), evaluator_.nested(scope));
    once.end();
    return is_right;
  }

  bool every_iteration(size_t index, const Items& items, const ScopePtr& scope) {
    OwnScope inner = evaluator_.nested(scope);
    const int doubt = evaluator_.domain.uncertainty();
    bool is_right = true;
    bool has_ended = false;
    const auto walk = [&](int64_t i) {
      HostValue item = items.at(i);
      has_ended = items.count == Sequence::kUntilNone && item.is<None>();
      if (!has_ended) is_right = iteration(index, std::move(item), inner);
    };
    for (int64_t i = 0; i < items.count && is_right && !has_ended; ++i, inner.end_iteration()) {
      if (i == 0 || !evaluator_.domain.is_check()) walk(i);
      else if (!evaluator_.loops.walk_later_iteration(doubt, [&] { walk(i); })) all_known_ = false;
    }
    return is_right;
  }

  bool iteration(size_t index, HostValue&& item, const ScopePtr& inner) {
    const Loop& loop = all_.loops[index];
    evaluator_.interrupt.poll(loop.iterable->span);
    evaluator_.bind_pattern(*loop.pattern, std::move(item), inner);
    const AbstractDomain::Part part(evaluator_.domain);
    std::optional<Doubtful> rest;
    for (const ast::ExprPtr& filter : loop.filters) {
      const std::optional<bool> taken =
          evaluator_.convert.to_condition(evaluator_.evaluate(*filter, inner), filter->span);
      if (taken && !*taken) return true;
      if (taken) continue;
      all_known_ = false;
      evaluator_.domain.may_not_happen();
      if (!rest) rest.emplace(evaluator_.doubts, plan::Doubt{filter->span, plan::Doubt::Kind::kWays});
    }
    const bool is_right = index + 1 < all_.loops.size() ? walk(index + 1, inner) : add_element(inner);
    if (rest) rest->end();
    return is_right;
  }

  bool add_element(const ScopePtr& scope) {
    HostValue element = evaluator_.evaluate(*all_.element, scope);
    if (element.is_poison()) return false;
    check_list_length(items_.size() + 1, all_.element->span);
    items_.push_back(std::move(element));
    return true;
  }

  Evaluator& evaluator_;
  const ast::ComprehensionExpr& all_;
  std::vector<HostValue> items_;
  bool all_known_ = true;  ///< the number of elements is known
};

}  // namespace

HostValue Evaluator::comprehension(const ast::ComprehensionExpr& comprehension, const ScopePtr& scope) {
  return Comprehension(*this, comprehension).value(scope);
}

Arguments Evaluator::evaluate_arguments(const ast::CallExpr& call, Span span, const ScopePtr& scope) {
  Arguments arguments;
  arguments.span = span;
  arguments.scope = scope;
  arguments.items.reserve(call.arguments.size());
  for (const ast::Argument& argument : call.arguments) {
    GivenArgument& item = arguments.items.emplace_back();
    if (argument.label) {
      item.label = argument.label->name;
      item.label_span = argument.label->span;
    }
    item.span = argument.value->span;
    item.value = evaluate_to_hand_on(*argument.value, scope, item.is_iterations_number);
    if (argument.target) {
      item.has_target = true;
      item.target_span = argument.target->span;
      item.target = evaluate(*argument.target, scope);
    }
  }
  return arguments;
}

HostValue Evaluator::call(const ast::Expr& expr, const ast::CallExpr& call, const ScopePtr& scope) {
  if (auto* name = call.callee->as<ast::NameExpr>();
      name && !spans_ && !findings.collects() && !replays.follows_numbers()) {
    // The binding holds the function at least as long as the call: nothing in a call changes a scope around it.
    const Binding* const binding = scope->find(name->name, name->slot).binding;
    auto* function = binding && !binding->is_aside ? binding->value.as<FunctionPtr>() : nullptr;
    if (function && Calls::is_direct(**function, call)) return calls.call_directly(**function, call, expr.span, scope);
  }
  return call_any(expr, call, scope);
}

HostValue Evaluator::call_any(const ast::Expr& expr, const ast::CallExpr& call, const ScopePtr& scope) {
  HostValue callee = evaluate(*call.callee, scope);
  Arguments arguments = evaluate_arguments(call, expr.span, scope);
  std::optional<Cuts::Looking> looking;
  if (auto* builtin = callee.as<BuiltinPtr>(); builtin && (*builtin)->only_looks) {
    looking.emplace(cuts);
    for (const GivenArgument& item : arguments.items) looking->at(item.value);
  }
  if (!callee.is<FunctionPtr>() && !callee.is<InstancePtr>()) replays.reads_numbers(arguments);
  if (callee.is_poison() || arguments.any_poison()) return Poison{};
  if (findings.collects()) [[unlikely]]
    for (const GivenArgument& item : arguments.items)
      if (has_item(item.value, [](const HostValue& value) { return value.is_poison(); })) return Poison{};
  if (callee.is_unknown()) return calls.call(callee, arguments);
  if (auto* op = callee.as<OperationPtr>()) return operations.call(**op, arguments);
  if (auto* instance = callee.as<InstancePtr>()) {
    Binding* binding = call_of(**instance);
    if (!binding) {
      fail(Diagnostic(Kind::not_callable, call.callee->span, fmt::format("{} has no `fn call`", describe(callee)))
               .related((*instance)->model->declaration->signature->span, "declared here")
               .help(help_with_call(**instance, call)));
    }
    return calls.call(HostValue(binding->value), arguments);
  }
  if (!callee.is<FunctionPtr>() && !callee.is<ModelClassPtr>() && !callee.is<BuiltinPtr>()) {
    fail(Diagnostic(Kind::not_callable, call.callee->span,
                    fmt::format("expected a function, an operation or a model, found {}", describe(callee)))
             .help(help_with_call_of(callee, call)));
  }
  return calls.call(callee, arguments);
}

HostValue Evaluator::text(const ast::StringExpr& string, const ScopePtr& scope) {
  constexpr size_t kLengthOfValue = 12;  // an estimate, so that the text is rarely reallocated as it grows
  std::string out;
  size_t length = 0;
  for (const ast::StringPart& part : string.parts) length += part.value ? kLengthOfValue : part.text.size();
  out.reserve(length);
  bool known = true;
  for (const ast::StringPart& part : string.parts) {
    if (!part.value) {
      out += part.text;
      continue;
    }
    HostValue value = evaluate(*part.value, scope);
    if (value.is_poison()) return value;
    Cuts::Looking looking(cuts);
    looking.at(value);
    builder.span = part.value->span;
    if (domain.is_abstract() && has_unknown_text(value)) known = false;
    if (part.format) out += display.formatted(value, *part.format, part.value->span, part.format_span);
    else if (!value.is_unknown()) out += display.text(value);
    check_length(out.size(), "a string", part.value->span);
  }
  if (!known) return unknown(UnknownKind::kString);
  return make_text(std::move(out));
}

}  // namespace mtf::eval
