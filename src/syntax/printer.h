#pragma once

// Private to src/syntax.

#include <string>
#include <vector>

#include "syntax/ast.h"

namespace mtf::syntax {

// Line breaks, empty lines and comments are either kept from the source or dropped.
enum class Lines { kKept, kDropped };

// Writes a tree as text, from left to right. Every line except the first begins with `new_line`, so that a comment can
// still be added to the end of a line.
class Printer {
 public:
  explicit Printer(Lines lines) : lines_(lines) {}

  void program(const ast::Program& program);
  void statement(const ast::Stmt& statement);
  // Prints parentheses if the expression binds less tightly than `least` (see level() in print_expressions.cpp).
  void expr(const ast::Expr& expr, int least = 0);
  // Prints an expression behind `=`, an operator or a comma, on the same line or the next.
  void operand(const ast::Expr& expr, int least = 0);
  void annotation(const ast::Annotation& annotation);
  void layout(const ast::LayoutLiteral& layout);
  void mesh(const ast::MeshLiteral& mesh);
  std::string take() { return std::move(out_); }

 private:
  // print_statements.cpp
  void statements(const std::vector<ast::Stmt>& list, std::size_t end);
  void block(const ast::Block& block);
  void function_body(const ast::FunctionBody& body);
  void node(const ast::DimStmt& node);
  void node(const ast::MeshStmt& node);
  void node(const ast::LayoutStmt& node);
  void node(const ast::UseStmt& node);
  void what(const ast::UseStmt& node);
  void node(const ast::OptionStmt& node);
  void node(const ast::SettingStmt& node);
  void node(const ast::LanguageStmt& node);
  void node(const ast::SeedStmt& node);
  void node(const ast::PrecisionStmt& node);
  void node(const ast::ImportStmt& node);
  void node(const ast::LetStmt& node);
  void node(const ast::AssignStmt& node);
  void node(const ast::ParamStmt& node);
  void node(const ast::FnStmt& node);
  void node(const ast::ModelStmt& node);
  void node(const ast::ForStmt& node);
  void node(const ast::WhileStmt& node);
  void node(const ast::IfStmt& node);
  void node(const ast::BreakStmt& node);
  void node(const ast::ContinueStmt& node);
  void node(const ast::WithStmt& node);
  void node(const ast::NoGradStmt& node);
  void node(const ast::ReturnStmt& node);
  void node(const ast::AssertStmt& node);
  void node(const ast::ExprStmt& node);
  void before_else(const Span& above, const Span& below);
  void new_line();
  // Writes the comments that precede an offset of the source.
  void comments_before(std::size_t offset);
  // Writes an empty line if the source has one between the previous text and this line.
  void keep_empty_line(std::size_t line);

  // print_expressions.cpp
  void node(const ast::IntExpr& node);
  void node(const ast::FloatExpr& node);
  void node(const ast::BoolExpr& node);
  void node(const ast::NoneExpr& node);
  void node(const ast::StringExpr& node);
  void node(const ast::NameExpr& node);
  void node(const ast::ElementTypeExpr& node);
  void node(const ast::RestExpr& node);
  void node(const ast::UnaryExpr& node);
  void node(const ast::BinaryExpr& node);
  void node(const ast::RangeExpr& node);
  void node(const ast::ListExpr& node);
  void node(const ast::TupleExpr& node);
  void node(const ast::ComprehensionExpr& node);
  void node(const ast::CallExpr& node);
  void node(const ast::IndexExpr& node);
  void node(const ast::AttributeExpr& node);
  void node(const ast::AtExpr& node);
  void node(const ast::LambdaExpr& node);
  void node(const ast::CountersExpr& node);
  void node(const ast::IfExpr& node);
  // Prints `{ value }`, on one line unless the value begins a line in the source.
  void braces(const ast::Expr& value, const Span& braces);
  void argument(const ast::Argument& argument);
  void parameters(const std::vector<ast::Parameter>& list);
  void pattern(const ast::Pattern& pattern);
  void shape(const ast::ShapeAnnotation& shape);
  void layout_ref(const ast::LayoutRef& layout);
  void rule(const ast::LayoutRule& rule);

  // Prints `open`, the items with commas, and `close`. An item that begins a line in the source begins one here.
  template <typename Items, typename SpanOf, typename Print>
  void sequence(char open, const Items& items, char close, SpanOf span_of, Print print);
  bool begins_line(const Span& span) const;
  // Prints the next part of a statement behind a blank, or on a new line if the part begins a line in the source.
  template <typename Print>
  void next(const Span& part, Print print);

  Lines lines_;
  std::string out_;
  int indent_ = 0;
  int in_string_ = 0;  // expressions in a string stay on one line
  const std::vector<ast::Comment>* comments_ = nullptr;
  std::size_t next_comment_ = 0;
  std::size_t last_line_ = 0;  // the source line of the last written text
};

template <typename Print>
void Printer::next(const Span& part, Print print) {
  const bool breaks = begins_line(part);
  if (breaks) {
    last_line_ = 0;
    indent_ += 2;
    comments_before(part.begin);
    new_line();
  } else {
    out_ += ' ';
  }
  print();
  if (breaks) indent_ -= 2;
}

template <typename Items, typename SpanOf, typename Print>
void Printer::sequence(char open, const Items& items, char close, SpanOf span_of, Print print) {
  out_ += open;
  bool first = true, broken = false;
  for (const auto& item : items) {
    const Span span = span_of(item);
    const bool breaks = begins_line(span);
    if (!first) out_ += breaks ? "," : ", ";
    if (breaks) {
      if (!broken) indent_ += 2;
      broken = true;
      last_line_ = 0;  // empty lines inside brackets are dropped
      comments_before(span.begin);
      new_line();
    }
    print(item);
    first = false;
  }
  if (broken) {
    indent_ -= 2;
    if (begins_line(span_of(items.front()))) new_line();
  }
  out_ += close;
}

}  // namespace mtf::syntax
