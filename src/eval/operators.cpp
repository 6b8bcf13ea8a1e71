// Infix operators. This file computes them on host values; between tensors they become operations.
#include "eval/arithmetic.h"
#include "eval/doubtful.h"
#include "eval/findings.h"
#include "eval/limits.h"
#include "eval/operations.h"
#include "eval/possible_values.h"
#include "eval/suggestions.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

using ast::BinaryOp;

bool is_comparison(BinaryOp op) { return op >= BinaryOp::kEqual && op <= BinaryOp::kGreaterEqual; }

/// Returns an int, bool or dim as an int.
std::optional<int64_t> int_of(const HostValue& value) {
  if (auto* i = value.as<int64_t>()) return *i;
  if (auto* d = value.as<Dim>()) return d->size;
  if (auto* b = value.as<bool>()) return *b ? 1 : 0;
  return std::nullopt;
}

/// Returns the unknown result of an operator on two numbers, at least one of them unknown.
HostValue unknown_result(BinaryOp op, const HostValue& a, const HostValue& b) {
  if (is_comparison(op)) return unknown(UnknownKind::kBool);
  auto whole = [](const HostValue& v) { return int_of(v).has_value() || unknown_kind(v) == UnknownKind::kInt; };
  auto fraction = [](const HostValue& v) { return v.is<double>() || unknown_kind(v) == UnknownKind::kFloat; };
  if (fraction(a) || fraction(b)) return unknown(UnknownKind::kFloat);
  if (whole(a) && whole(b))
    return unknown(op == BinaryOp::kDivide  ? UnknownKind::kFloat
                   : op == BinaryOp::kPower ? UnknownKind::kNumber
                                            : UnknownKind::kInt);
  return unknown(UnknownKind::kNumber);
}

/// Suggests a replacement for an operator that does not work on these operands.
Help help_with_operands(BinaryOp op, const HostValue& a, const HostValue& b, const OperatorSpans& spans) {
  if (a.is<None>() || b.is<None>())
    return "a function without `return` gives none; `x != none` tells whether there is a value";
  if (a.is<Text>() && op == BinaryOp::kModulo)
    return help_with("values stand in the string itself", percent_format(spans.left, spans.right, spans.whole));
  if (op == BinaryOp::kAdd && (a.is<Text>() || b.is<Text>())) {
    const Span other = a.is<Text>() ? spans.right : spans.left;
    const Span begin{other.file, other.begin, other.begin}, end{other.file, other.end, other.end};
    return mtf::help_with("only strings are joined", {{begin, "string("}, {end, ")"}});
  }
  if (tensor_of(a) && b.is<ListPtr>()) return help_with("a list is no tensor", list_as_tensor(b, spans.right, a));
  if (tensor_of(b) && a.is<ListPtr>()) return help_with("a list is no tensor", list_as_tensor(a, spans.left, b));
  return {};
}

/// Computes `a == none` or `none != b` on the host, for another operand of any kind.
HostValue is_none(BinaryOp op, const HostValue& a, const HostValue& b) {
  const HostValue& other = a.is<None>() ? b : a;
  if (!other.is<None>() && may_be_none(other)) return unknown(UnknownKind::kBool);
  return (a.is<None>() && b.is<None>()) == (op == BinaryOp::kEqual);
}

/// True if the type of a result depends on whether the other operand is an int or a float.
bool is_type_open(const graph::Value& tensor, const HostValue& other) {
  return !is_float(tensor.element()) && has_open_type(other);
}

}  // namespace

/// Computes `a in b`: searches a string in a string, or an element in a list.
HostValue Operations::is_in(const HostValue& a, const HostValue& b, Span span) const {
  auto* list = b.as<ListPtr>();
  if (list && !a.is_unknown()) {
    for (const HostValue& item : (*list)->items) {
      if (has_unknown(item) || has_unknown(a)) return unknown(UnknownKind::kBool);
      if (a.is<None>() || item.is<None>()) {
        if (a.is<None>() && item.is<None>()) return true;
        continue;
      }
      auto* variable = a.as<VariablePtr>();
      auto* other = item.as<VariablePtr>();
      const std::optional<bool> same = variable && other ? *variable == *other : equal(a, item);
      if (!same) fail(Kind::not_comparable, span, "{} and {}", describe(a), describe(item));
      if (*same) return true;
    }
    return false;
  }
  auto *part = a.as<Text>(), *whole = b.as<Text>();
  if (part && whole) return (*whole)->find(**part) != std::string::npos;
  auto fits = [](const HostValue& v, bool is_known) {
    return is_known || (v.is_unknown() && (is_open(v) || unknown_kind(v) == UnknownKind::kString));
  };
  if (a.is_unknown() && list) return unknown(UnknownKind::kBool);
  if (fits(a, part) && fits(b, whole || list)) return unknown(UnknownKind::kBool);
  if (is_open(b)) return unknown(UnknownKind::kBool);
  fail(Diagnostic(Kind::type_mismatch, span,
                  fmt::format("`in` asks for a string in a string or an element of a list, found {} and {}",
                              describe(a), describe(b))));
}

HostValue Operations::operate(BinaryOp op, const HostValue& a, const HostValue& b, const OperatorSpans& spans) {
  const Span span = spans.whole;
  if (are_numbers(op, a, b)) return of_numbers(op, a, b, span);
  if (a.is_poison() || b.is_poison()) return Poison{};
  if (op == BinaryOp::kIn) return is_in(a, b, span);
  const bool tells_equal = op == BinaryOp::kEqual || op == BinaryOp::kNotEqual;
  if (tells_equal && (a.is<None>() || b.is<None>())) return is_none(op, a, b);
  const bool any = is_open(a) || is_open(b);
  const graph::Value* a_tensor = tensor_of(a);
  const graph::Value* b_tensor = tensor_of(b);
  if (a_tensor || b_tensor) {
    if (any || (a_tensor ? is_type_open(*a_tensor, b) : is_type_open(*b_tensor, a))) {
      doubts_.uncounted(span);
      return unknown(UnknownKind::kTensor);
    }
    auto fits = [](const HostValue& v) { return tensor_of(v) || number_of(v) || is_number(v); };
    if (fits(a) && fits(b)) return infix(op, a, b, spans);
  } else if (op == BinaryOp::kAnd || op == BinaryOp::kOr) {
    auto fits = [](const HostValue& v) {
      return v.is<bool>() || (v.is_unknown() && (unknown_kind(v) == UnknownKind::kBool || is_open(v)));
    };
    if (fits(a) && fits(b))
      return b.is<bool>() && a.is<bool>() ? b : unknown(any ? UnknownKind::kAny : UnknownKind::kBool);
  } else if (tells_equal && a.is<ListPtr>() && b.is<ListPtr>() && (has_unknown(a) || has_unknown(b))) {
    return unknown(UnknownKind::kBool);
  } else if (tells_equal && !a.is_unknown() && !b.is_unknown() &&
             (a.is<Dim>() == b.is<Dim>() || !(number_of(a) && number_of(b)))) {
    auto same = equal(a, b);
    if (!same) { fail(Kind::not_comparable, span, "{} and {}", describe(a), describe(b)); }
    return *same == (op == BinaryOp::kEqual);
  } else if (any) {
    return unknown(UnknownKind::kAny);  // a comparison of tensors is a tensor too
  } else {
    auto a_int = int_of(a), b_int = int_of(b);
    if (a_int && b_int) return integers(op, *a_int, *b_int, span);
    auto a_number = number_of(a), b_number = number_of(b);
    if (a_number && b_number) return floats(op, *a_number, *b_number);
    const bool a_string = a.is<Text>() || unknown_kind(a) == UnknownKind::kString;
    const bool b_string = b.is<Text>() || unknown_kind(b) == UnknownKind::kString;
    if (a_string && b_string && (op == BinaryOp::kAdd || is_comparison(op))) {
      if (!a.is<Text>() || !b.is<Text>())
        return unknown(op == BinaryOp::kAdd ? UnknownKind::kString : UnknownKind::kBool);
      if (op == BinaryOp::kAdd) check_length((*a.as<Text>())->size() + (*b.as<Text>())->size(), "a string", span);
      if (op == BinaryOp::kAdd) return make_text(**a.as<Text>() + **b.as<Text>());
      return integers(op, (*a.as<Text>())->compare(**b.as<Text>()), 0, span);
    }
    if (is_comparison(op) && (a_string != b_string) && op <= BinaryOp::kNotEqual) return op == BinaryOp::kNotEqual;
    if (auto* x = a.as<ListPtr>(); x && op == BinaryOp::kAdd) {
      if (auto* y = b.as<ListPtr>()) {
        const size_t length = (*x)->items.size() + (*y)->items.size();
        check_list_length(length, span);
        findings_.count_steps(span, steps_of_copying(length));
        std::vector<HostValue> items = (*x)->items;
        items.insert(items.end(), (*y)->items.begin(), (*y)->items.end());
        return make_list(std::move(items));
      }
    }
    if ((number_of(a) || is_number(a)) && (number_of(b) || is_number(b))) return unknown_result(op, a, b);
  }
  fail(Diagnostic(Kind::type_mismatch, spans.symbol.is_known() ? spans.symbol : span,
                  fmt::format("`{}` does not work on {} and {}", ast::to_text(op), describe(a), describe(b)))
           .help(help_with_operands(op, a, b, spans)));
}

}  // namespace mtf::eval
