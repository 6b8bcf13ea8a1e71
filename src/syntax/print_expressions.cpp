#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/stack_budget.h"
#include "support/text.h"
#include "syntax/print.h"
#include "syntax/printer.h"

namespace mtf::ast {

std::string_view to_text(UnaryOp op) { return op == UnaryOp::kNot ? "not" : "-"; }

std::string_view to_text(BinaryOp op) {
  static constexpr std::array<std::string_view, 16> kTexts = {
      "^", "*", "/", "//", "%", "+", "-", "==", "!=", "<", "<=", ">", ">=", "in", "and", "or"};
  return kTexts[static_cast<std::size_t>(op)];
}

}  // namespace mtf::ast

namespace mtf::syntax {

using namespace ast;

namespace {

// How tightly an expression binds, as in the grammar: loosest first.
enum Level { kLambda, kOr, kAnd, kNot, kComparison, kRange, kSum, kProduct, kNegation, kPower, kPostfix };

int level(BinaryOp op) {
  switch (op) {
    case BinaryOp::kPower: return kPower;
    case BinaryOp::kMultiply:
    case BinaryOp::kDivide:
    case BinaryOp::kFloorDivide:
    case BinaryOp::kModulo: return kProduct;
    case BinaryOp::kAdd:
    case BinaryOp::kSubtract: return kSum;
    case BinaryOp::kAnd: return kAnd;
    case BinaryOp::kOr: return kOr;
    default: return kComparison;
  }
}

int level(const Expr& expr) {
  const auto* lambda = expr.as<LambdaExpr>();
  if (lambda != nullptr && std::holds_alternative<ExprPtr>(lambda->body)) return kLambda;
  if (const auto* binary = expr.as<BinaryExpr>()) return level(binary->op);
  if (const auto* unary = expr.as<UnaryExpr>()) return unary->op == UnaryOp::kNot ? kNot : kNegation;
  if (expr.as<RangeExpr>()) return kRange;
  return kPostfix;
}

}  // namespace

void Printer::expr(const Expr& expr, int least) {
  check_stack(expr.span, Kind::nesting_too_deep);
  const bool parens = expr.parenthesized || level(expr) < least;
  if (parens) out_ += '(';
  std::visit([this](const auto& node) { this->node(node); }, expr.node);
  if (parens) out_ += ')';
}

void Printer::operand(const Expr& expr, int least) {
  next(expr.span, [&] { this->expr(expr, least); });
}

void Printer::node(const IntExpr& node) { out_ += std::to_string(node.value); }
void Printer::node(const FloatExpr& node) { out_ += node.text; }
void Printer::node(const BoolExpr& node) { out_ += node.value ? "true" : "false"; }
void Printer::node(const NoneExpr&) { out_ += "none"; }
void Printer::node(const NameExpr& node) { out_ += node.name.text(); }
void Printer::node(const ElementTypeExpr& node) { out_ += node.name.text(); }
void Printer::node(const RestExpr&) { out_ += ".."; }

void Printer::node(const StringExpr& node) {
  out_ += '"';
  ++in_string_;
  for (const StringPart& part : node.parts) {
    if (part.value == nullptr) {
      const std::string quoted = quote(part.text);
      out_ += std::string_view(quoted).substr(1, quoted.size() - 2);
      continue;
    }
    out_ += '{';
    expr(*part.value);
    if (part.format) out_ += ":" + *part.format;
    out_ += '}';
  }
  --in_string_;
  out_ += '"';
}

void Printer::node(const UnaryExpr& node) {
  out_ += to_text(node.op);
  if (node.op == UnaryOp::kNot) out_ += ' ';
  expr(*node.operand, node.op == UnaryOp::kNot ? kNot : kNegation);
}

void Printer::node(const BinaryExpr& node) {
  const int own = level(node.op);
  int left = own, right = own + 1;
  if (own == kPower) {
    left = kPostfix;
    right = kNegation;
  }
  if (own == kComparison) left = kRange;
  expr(*node.left, left);
  out_ += fmt::format(" {}", to_text(node.op));
  operand(*node.right, right);
}

void Printer::node(const RangeExpr& node) {
  if (node.begin != nullptr) expr(*node.begin, kSum);
  out_ += "..";
  if (node.end != nullptr) expr(*node.end, kSum);
}

void Printer::node(const ListExpr& node) {
  sequence(
      '[', node.elements, ']', [](const ExprPtr& e) { return e->span; }, [&](const ExprPtr& e) { expr(*e); });
}

void Printer::node(const TupleExpr& node) {
  sequence(
      '(', node.elements, ')', [](const ExprPtr& e) { return e->span; }, [&](const ExprPtr& e) { expr(*e); });
}

void Printer::node(const ComprehensionExpr& node) {
  out_ += '[';
  expr(*node.element);
  for (const ComprehensionExpr::Loop& loop : node.loops) {
    next(loop.span, [&] {
      out_ += "for ";
      pattern(*loop.pattern);
      out_ += " in ";
      expr(*loop.iterable);
      for (const ExprPtr& filter : loop.filters) {
        out_ += " if ";
        expr(*filter);
      }
    });
  }
  out_ += ']';
}

void Printer::argument(const Argument& argument) {
  if (argument.label) out_ += argument.label->name.str() + ": ";
  expr(*argument.value);
  if (argument.target == nullptr) return;
  out_ += " -> ";
  expr(*argument.target);
}

void Printer::node(const CallExpr& node) {
  expr(*node.callee, kPostfix);
  sequence(
      '(', node.arguments, ')', [](const Argument& a) { return a.span; }, [&](const Argument& a) { argument(a); });
}

void Printer::node(const IndexExpr& node) {
  expr(*node.object, kPostfix);
  sequence(
      '[', node.arguments, ']', [](const Argument& a) { return a.span; }, [&](const Argument& a) { argument(a); });
}

void Printer::node(const AttributeExpr& node) {
  expr(*node.object, kPostfix);
  out_ += '.';
  out_ += node.attribute.name.text();
}

void Printer::node(const AtExpr& node) {
  expr(*node.object, kPostfix);
  out_ += " @ ";
  layout_ref(node.layout);
}

void Printer::node(const LambdaExpr& node) {
  out_ += "fn";
  parameters(node.parameters);
  if (node.result) {
    out_ += " -> ";
    annotation(*node.result);
  }
  function_body(node.body);
}

void Printer::node(const CountersExpr& node) {
  out_ += "counters ";
  block(node.body);
}

void Printer::braces(const Expr& value, const Span& braces) {
  const bool breaks = begins_line(value.span);
  out_ += '{';
  if (breaks) last_line_ = 0;
  next(value.span, [&] {
    expr(value);
    if (breaks) comments_before(braces.end);
  });
  if (breaks) new_line();
  else out_ += ' ';
  out_ += '}';
}

void Printer::node(const IfExpr& node) {
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    const IfExpr::Branch& branch = node.branches[i];
    if (i > 0) before_else(node.branches[i - 1].braces, branch.condition->span);
    out_ += i == 0 ? "if " : "else if ";
    expr(*branch.condition);
    out_ += ' ';
    braces(*branch.value, branch.braces);
  }
  before_else(node.branches.back().braces, node.otherwise_braces);
  out_ += "else ";
  braces(*node.otherwise, node.otherwise_braces);
}

// ---- shapes, layouts, parameters, patterns --------------------------------------------------------------------------

void Printer::shape(const ShapeAnnotation& shape) {
  if (shape.element_type) out_ += shape.element_type->name.text();
  sequence(
      '[', shape.items, ']', [](const ShapeItem& item) { return item.span; },
      [&](const ShapeItem& item) {
        if (item.is_rest()) out_ += "..";
        else expr(*item.dim);
      });
}

void Printer::annotation(const Annotation& annotation) {
  if (const auto* word = std::get_if<WordAnnotation>(&annotation)) out_ += word->word.name.text();
  else shape(std::get<ShapeAnnotation>(annotation));
}

void Printer::rule(const LayoutRule& rule) {
  out_ += rule.dim.name.str() + " -> ";
  const bool brackets = rule.bracketed || rule.axes.size() != 1;
  if (brackets) out_ += '[';
  for (std::size_t i = 0; i < rule.axes.size(); ++i) {
    if (i > 0) out_ += ", ";
    out_ += rule.axes[i].name.text();
  }
  if (brackets) out_ += ']';
}

void Printer::layout(const LayoutLiteral& layout) {
  // `..` is printed first, as an item without a rule.
  struct Item {
    const LayoutRule* rule = nullptr;
    const PathRule* by_path = nullptr;
    Span span() const { return rule != nullptr ? rule->span : by_path != nullptr ? by_path->span : Span{}; }
  };
  std::vector<Item> items;
  for (const LayoutRule& one : layout.rules) items.push_back({&one});
  for (const PathRule& one : layout.by_path) items.push_back({nullptr, &one});
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.span().begin < b.span().begin; });
  if (layout.keep_others) items.insert(items.begin(), Item());
  sequence(
      '{', items, '}', [](const Item& item) { return item.span(); },
      [&](const Item& item) {
        if (item.rule != nullptr) return rule(*item.rule);
        if (item.by_path == nullptr) {
          out_ += "..";
          return;
        }
        out_ += fmt::format("{} {}: ", word_of(item.by_path->of), quote(item.by_path->path));
        LayoutLiteral own;
        own.rules = item.by_path->rules;
        this->layout(own);
      });
}

void Printer::layout_ref(const LayoutRef& ref) {
  if (const auto* literal = std::get_if<LayoutLiteral>(&ref.layout)) layout(*literal);
  else expr(*std::get<ExprPtr>(ref.layout), kPostfix);
}

void Printer::parameters(const std::vector<ast::Parameter>& list) {
  sequence(
      '(', list, ')', [](const ast::Parameter& parameter) { return parameter.span; },
      [&](const ast::Parameter& parameter) {
        out_ += parameter.name.name.text();
        if (parameter.annotation) {
          out_ += ": ";
          annotation(*parameter.annotation);
        }
        if (parameter.default_value == nullptr) return;
        out_ += " = ";
        expr(*parameter.default_value);
      });
}

void Printer::pattern(const Pattern& pattern) {
  if (const auto* name = std::get_if<Ident>(&pattern.node)) {
    out_ += name->name.text();
    return;
  }
  const auto& parts = std::get<TuplePattern>(pattern.node).parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out_ += i == 0 ? "(" : ", ";
    this->pattern(*parts[i]);
  }
  out_ += ')';
}

}  // namespace mtf::syntax
