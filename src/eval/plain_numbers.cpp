#include "eval/plain_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "eval/scope.h"
#include "support/diagnostics.h"
#include "syntax/signature.h"

namespace mtf::eval {
namespace {

using ast::BinaryOp;
using PlainKind = Plain::Kind;

/// The greatest depth of operands. Giving up on an expression costs a second walk at each level. A sum of many tensors
/// is as deep as it has terms. Inside a function operands may be deeper, because a function is not tried twice.
constexpr int kDepth = 4, kDepthInside = 40;
constexpr size_t kMostParameters = 8;

template <typename Number>
bool compare(BinaryOp op, Number a, Number b) {
  switch (op) {
    case BinaryOp::kEqual: return a == b;
    case BinaryOp::kNotEqual: return a != b;
    case BinaryOp::kLess: return a < b;
    case BinaryOp::kLessEqual: return a <= b;
    case BinaryOp::kGreater: return a > b;
    default: return a >= b;
  }
}

[[noreturn]] void overflow(Span span, int64_t a, BinaryOp op, int64_t b) {
  fail(Kind::integer_overflow, span, "{} {} {}", a, ast::to_text(op), b);
}

int64_t floor_divide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

/// Returns the floor of the exact quotient, as for tensors (`floordiv_of`, kernels/lane_math.h).
double floor_of_quotient(double a, double b) {
  const double quotient = std::floor(a / b);
  const double rest = std::isinf(b) ? a : std::fma(-quotient, b, a);
  return (b > 0 ? rest < 0 : rest > 0) ? quotient - 1 : quotient;
}

/// Returns the exact remainder, rounded once. It has the sign of `b`, and a smaller magnitude.
double rest_of_quotient(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  if (std::abs(rest) >= std::abs(b) && std::isfinite(b)) rest = std::nextafter(b, 0.0);
  return std::copysign(rest, b);
}

Plain plain(const HostValue& value) {
  if (auto* i = value.as<int64_t>()) return Plain(*i);
  if (auto* d = value.as<double>()) return Plain(*d);
  if (auto* b = value.as<bool>()) return Plain(*b);
  return {};
}

/// True if the value has the kind that a parameter asks for, without a conversion.
bool is_what(syntax::ParameterKind asked, const Plain& value) {
  switch (asked) {
    case syntax::ParameterKind::kAny: return true;
    case syntax::ParameterKind::kInt: return value.kind == PlainKind::kInt;
    case syntax::ParameterKind::kFloat: return value.kind == PlainKind::kFloat;
    case syntax::ParameterKind::kBool: return value.kind == PlainKind::kBool;
    default: return false;
  }
}

bool may_be_plain(const ast::Block& block) {
  return std::all_of(block.statements.begin(), block.statements.end(), [](const ast::Stmt& stmt) {
    if (auto* let = stmt.as<ast::LetStmt>())
      return !let->annotation && std::holds_alternative<ast::Ident>(let->pattern->node);
    if (auto* returns = stmt.as<ast::ReturnStmt>()) return returns->value != nullptr;
    auto* branch = stmt.as<ast::IfStmt>();
    return branch != nullptr && (!branch->otherwise || may_be_plain(*branch->otherwise)) &&
           std::all_of(branch->branches.begin(), branch->branches.end(),
                       [](const ast::IfStmt::Branch& one) { return may_be_plain(one.body); });
  });
}
bool may_be_plain(const Function& function) {
  const auto& parameters = function.signature->declared;
  return parameters.size() <= kMostParameters && (function.expression || may_be_plain(*function.block)) &&
         std::none_of(parameters.begin(), parameters.end(),
                      [](const ast::Parameter& one) { return one.default_value != nullptr; });
}

}  // namespace

Plain integers(BinaryOp op, int64_t a, int64_t b, Span span) {
  int64_t result = 0;
  switch (op) {
    case BinaryOp::kAdd:
      if (__builtin_add_overflow(a, b, &result)) overflow(span, a, op, b);
      return result;
    case BinaryOp::kSubtract:
      if (__builtin_sub_overflow(a, b, &result)) overflow(span, a, op, b);
      return result;
    case BinaryOp::kMultiply:
      if (__builtin_mul_overflow(a, b, &result)) overflow(span, a, op, b);
      return result;
    case BinaryOp::kDivide:
      if (b == 0) fail(Kind::division_by_zero, span, "{} / 0", a);
      return static_cast<double>(a) / static_cast<double>(b);
    case BinaryOp::kFloorDivide:
    case BinaryOp::kModulo:
      if (b == 0) fail(Kind::division_by_zero, span, "{} {} 0", a, ast::to_text(op));
      if (b == -1) {
        if (op == BinaryOp::kModulo) return int64_t{0};
        if (__builtin_sub_overflow(int64_t{0}, a, &result)) overflow(span, a, op, b);
        return result;
      }
      result = floor_divide(a, b);
      return op == BinaryOp::kFloorDivide ? result : a - result * b;
    case BinaryOp::kPower: {
      if (a == 0 && b < 0) fail(Kind::division_by_zero, span, "{} ^ {}", a, b);
      if (b < 0) return std::pow(static_cast<double>(a), static_cast<double>(b));
      int64_t base = a, exponent = b;
      result = 1;
      while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) overflow(span, a, op, b);
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) overflow(span, a, op, b);
      }
      return result;
    }
    default: return compare(op, a, b);
  }
}

Plain floats(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd: return a + b;
    case BinaryOp::kSubtract: return a - b;
    case BinaryOp::kMultiply: return a * b;
    case BinaryOp::kDivide: return a / b;
    case BinaryOp::kFloorDivide: return floor_of_quotient(a, b);
    case BinaryOp::kModulo: return rest_of_quotient(a, b);
    case BinaryOp::kPower: return std::pow(a, b);
    default: return compare(op, a, b);
  }
}

std::optional<HostValue> PlainNumbers::operation(const ast::Expr& expr, const ast::BinaryExpr& binary, Scope& scope,
                                                 bool may_call) {
  const Plain result = operation(expr, binary, {scope, ~size_t{0}, locals_.size(), may_call ? kMostCalls : 0}, kDepth);
  return result ? std::optional(result.value()) : std::nullopt;
}

std::optional<HostValue> PlainNumbers::call(const ast::CallExpr& one, Scope& scope) {
  const Plain result = call(one, {scope, ~size_t{0}, locals_.size(), kMostCalls}, kDepth);
  return result ? std::optional(result.value()) : std::nullopt;
}

Plain PlainNumbers::operation(const ast::Expr& expr, const ast::BinaryExpr& binary, const Frame& frame, int depth) {
  const BinaryOp op = binary.op;
  if (depth == 0 || op == BinaryOp::kIn) return Plain();
  const Plain a = number(*binary.left, frame, depth - 1);
  if (!a) return Plain();
  const bool joins = op > BinaryOp::kIn;  // and, or
  if ((a.kind == PlainKind::kBool) != joins) return Plain();
  if (joins && a.truth == (op == BinaryOp::kOr)) return a;
  const Plain b = number(*binary.right, frame, depth - 1);
  if (!b || (b.kind == PlainKind::kBool) != joins) return Plain();
  if (joins) return b;
  if (a.kind == PlainKind::kInt && b.kind == PlainKind::kInt) return integers(op, a.whole, b.whole, expr.span);
  return floats(op, a.number(), b.number());
}

Plain PlainNumbers::number(const ast::Expr& expr, const Frame& frame, int depth) {
  if (auto* named = expr.as<ast::NameExpr>()) return name(named->name, frame);
  if (auto* literal = expr.as<ast::IntExpr>()) return Plain(literal->value);
  if (auto* binary = expr.as<ast::BinaryExpr>()) return operation(expr, *binary, frame, depth);
  if (auto* literal = expr.as<ast::FloatExpr>()) return Plain(literal->value);
  if (auto* literal = expr.as<ast::BoolExpr>()) return Plain(literal->value);
  if (depth == 0) return Plain();
  if (auto* one = expr.as<ast::CallExpr>()) return call(*one, frame, depth - 1);
  if (auto* index = expr.as<ast::IndexExpr>()) return item(*index, frame, depth - 1);
  if (auto* branches = expr.as<ast::IfExpr>()) return branch(*branches, frame, depth - 1);
  auto* unary = expr.as<ast::UnaryExpr>();
  const Plain of = unary ? number(*unary->operand, frame, depth - 1) : Plain();
  if (!of || (of.kind == PlainKind::kBool) != (unary->op != ast::UnaryOp::kNegate)) return Plain();
  if (of.kind == PlainKind::kBool) return Plain(!of.truth);
  if (of.kind == PlainKind::kFloat) return Plain(-of.fraction);
  return of.whole == INT64_MIN ? Plain() : Plain(-of.whole);
}

Plain PlainNumbers::name(Name name, const Frame& frame) {
  for (size_t i = locals_.size(); i-- > frame.first;)
    if (locals_[i].name == name) return locals_[i].value;
  const Binding* const binding = frame.scope.find(name, frame.limit).binding;
  return binding && !binding->is_aside && !binding->is_turns_number ? plain(binding->value) : Plain();
}

/// Evaluates `name[index]` for a list.
Plain PlainNumbers::item(const ast::IndexExpr& index, const Frame& frame, int depth) {
  auto* named = index.object->as<ast::NameExpr>();
  if (!named || index.arguments.size() != 1 || index.arguments[0].label) return Plain();
  const Plain place = number(*index.arguments[0].value, frame, depth);
  if (!place || place.kind != PlainKind::kInt) return Plain();
  const Binding* const binding = frame.scope.find(named->name, frame.limit).binding;
  auto* list = binding && !binding->is_aside ? binding->value.as<ListPtr>() : nullptr;
  if (!list || name(named->name, frame)) return Plain();
  const std::vector<HostValue>& items = (*list)->items;
  const bool is_there = place.whole >= 0 && place.whole < static_cast<int64_t>(items.size());
  return is_there ? plain(items[static_cast<size_t>(place.whole)]) : Plain();
}

std::optional<bool> PlainNumbers::condition(const ast::Expr& expr, const Frame& frame, int depth) {
  const Plain value = number(expr, frame, depth);
  return value.kind == PlainKind::kBool ? std::optional(value.truth) : std::nullopt;
}

Plain PlainNumbers::branch(const ast::IfExpr& branches, const Frame& frame, int depth) {
  for (const ast::IfExpr::Branch& one : branches.branches) {
    const std::optional<bool> holds = condition(*one.condition, frame, depth);
    if (!holds) return Plain();
    if (*holds) return number(*one.value, frame, depth);
  }
  return number(*branches.otherwise, frame, depth);
}

Plain PlainNumbers::call(const ast::CallExpr& call, const Frame& frame, int depth) {
  auto* callee = call.callee->as<ast::NameExpr>();
  if (!callee || frame.calls == 0) return Plain();
  for (size_t i = locals_.size(); i-- > frame.first;)
    if (locals_[i].name == callee->name) return Plain();  // the callee is a number
  const Binding* const binding = frame.scope.find(callee->name, frame.limit).binding;
  auto* held = binding && !binding->is_aside ? binding->value.as<FunctionPtr>() : nullptr;
  if (!held || (*held)->is_plain == IsPlain::kNo) return Plain();
  Function& function = **held;
  if (function.is_plain == IsPlain::kUnknown)
    function.is_plain = may_be_plain(function) ? IsPlain::kMaybe : IsPlain::kNo;
  const auto& parameters = function.signature->parameters;
  if (function.is_plain == IsPlain::kNo || call.arguments.size() != parameters.size()) return Plain();
  const size_t first = locals_.size();
  Plain result;
  try {
    std::array<Plain, kMostParameters> values;
    bool are_plain = true;
    for (size_t i = 0; are_plain && i < parameters.size(); ++i) {
      const ast::Argument& argument = call.arguments[i];
      const Plain value = argument.label || argument.target ? Plain() : number(*argument.value, frame, depth);
      are_plain = value && is_what(parameters[i].kind, value);
      if (are_plain) values[i] = value;
    }
    if (are_plain) {
      for (size_t i = 0; i < parameters.size(); ++i) locals_.push_back({parameters[i].name, values[i]});
      interrupt_.poll(call.arguments_span);
      const size_t limit = function.reached ? function.visible : function.scope->bindings.size();
      result = body(function, {*function.scope, limit, first, frame.calls - 1});
    }
  } catch (const UserError& error) {  // the general evaluator will meet the error again and report it
    locals_.resize(first);
    if (error.diagnostic().kind() == Kind::interrupted) throw;
  }
  locals_.resize(first);
  if (!result) function.is_plain = IsPlain::kNo;
  return result;
}

Plain PlainNumbers::body(const Function& function, const Frame& frame) {
  Plain result;
  if (function.expression) result = number(*function.expression, frame, kDepthInside);
  else if (run(*function.block, frame, result) != End::kReturned) return Plain();
  const bool is_right = result && (!*function.result || is_what(syntax::kind_of(**function.result), result));
  return is_right ? result : Plain();
}

PlainNumbers::End PlainNumbers::run(const ast::Block& block, const Frame& frame, Plain& result) {
  const size_t outer = locals_.size();
  for (const ast::Stmt& stmt : block.statements) {
    if (auto* returns = stmt.as<ast::ReturnStmt>()) {
      result = number(*returns->value, frame, kDepthInside);
      return result ? End::kReturned : End::kMore;
    }
    if (auto* let = stmt.as<ast::LetStmt>()) {
      const Plain value = number(*let->value, frame, kDepthInside);
      if (!value) return End::kMore;
      locals_.push_back({std::get<ast::Ident>(let->pattern->node).name, value});
      continue;
    }
    const auto& branches = *stmt.as<ast::IfStmt>();
    const ast::Block* taken = branches.otherwise ? &*branches.otherwise : nullptr;
    for (const ast::IfStmt::Branch& one : branches.branches) {
      const std::optional<bool> holds = condition(*one.condition, frame, kDepthInside);
      if (!holds) return End::kMore;
      if (!*holds) continue;
      taken = &one.body;
      break;
    }
    if (!taken) continue;
    if (const End end = run(*taken, frame, result); end != End::kNext) return end;
  }
  locals_.resize(outer);
  return End::kNext;
}

}  // namespace mtf::eval
