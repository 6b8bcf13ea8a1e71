#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/name.h"
#include "support/source.h"

namespace mtf::syntax {
struct Signature;  // syntax/signature.h
}

// The forms of expressions, and of what stands in them: names, layouts, shapes, patterns. How they make up a tree, and
// what always holds of one, is explained in syntax/ast.h.
namespace mtf::ast {

struct Ident {
  Name name;
  Span span;
};

struct Expr;
struct Stmt;
struct Pattern;
using ExprPtr = std::unique_ptr<Expr>;
using PatternPtr = std::unique_ptr<Pattern>;

// Statements between `{` and `}`, or a whole file. A block is a scope.
struct Block {
  Span span;  // braces included
  std::vector<Stmt> statements;
};

// ---- layouts, shapes and annotations --------------------------------------------------------------------------------

// `batch -> rows`, `batch -> [rows, cols]`. The dim's name is text; it is not looked up in a
// `layout` declaration, and is looked up after `@`.
struct LayoutRule {
  Ident dim;
  std::vector<Ident> axes;
  bool bracketed = false;  // `[rows]` was written with brackets
  Span span;
};

// `params "blocks[*].*": {d_model -> data}`: how params, or states, are stored whose paths are as the pattern.
struct StoredRule {
  bool trainable = true;  // `params`
  std::string path;
  std::vector<LayoutRule> rules;
  Span head;  // `params "blocks[*].*"`
  Span span;
};

// `{batch -> rows, hidden -> cols}`; `{.., a -> rows}` keeps the other dims as they are. Only a layout that can be in
// force has stored rules.
struct LayoutLiteral {
  bool keep_others = false;
  std::vector<LayoutRule> rules;
  std::vector<StoredRule> stored;
  Span span;
};

// What stands after `@`: a literal, or an expression made of names and attributes (`dp`, `mine.dp`).
struct LayoutRef {
  std::variant<LayoutLiteral, ExprPtr> layout;
  Span span;
};

// `[io, hidden]`, `f32[.., a]`. An item without an expression is `..`.
struct ShapeItem {
  ExprPtr dim;  // null: `..`
  Span span;
  bool is_rest() const { return dim == nullptr; }
};
struct ShapeAnnotation {
  std::optional<Ident> element_type;  // f32 f64 bf16 i32 bool
  std::vector<ShapeItem> items;
  Span span;
};

// `dim`, `dims`, `int`, `float`, `bool`, `string`, `fn`, `list`, `model`.
struct WordAnnotation {
  Ident word;
  Span span;
};

// `like p`: p's dims, element type and stored layout; `f32 like p`: in f32.
struct LikeAnnotation {
  std::optional<Ident> element_type;
  ExprPtr of;
  Span span;
};

using Annotation = std::variant<ShapeAnnotation, WordAnnotation>;
// The type of a param or state.
using StoredAnnotation = std::variant<ShapeAnnotation, LikeAnnotation>;

// An argument of a function or a model as declared: `x: [.., a]`, `n: int = 2`.
struct Parameter {
  Ident name;
  std::optional<Annotation> annotation;
  ExprPtr default_value;  // may be null
  Span span;
};

// ---- patterns -------------------------------------------------------------------------------------------------------

struct TuplePattern {
  std::vector<PatternPtr> parts;  // at least two
};
struct Pattern {
  std::variant<Ident, TuplePattern> node;
  Span span;
};

// ---- expressions ----------------------------------------------------------------------------------------------------

struct IntExpr {
  std::int64_t value;
};
struct FloatExpr {
  double value;
  std::string text;  // as written
};
struct BoolExpr {
  bool value;
};
// `none`.
struct NoneExpr {};

// A piece of a string: text with its escapes resolved, or `{value:format}`.
struct StringPart {
  std::string text;                   // used if value is null
  ExprPtr value;                      // may be null
  std::optional<std::string> format;  // what stands after `:`; only with a value
  Span span;
  Span format_span;
};
// Never two pieces of text in a row; no pieces for "".
struct StringExpr {
  std::vector<StringPart> parts;
};

struct NameExpr {
  Name name;
};
// `f32`, `f64`, `bf16`, `i32`, `bool` as a value, as in cast(x, bf16).
struct ElementTypeExpr {
  Name name;
};
// `..` as an element of a list, as in einsum(x, w -> [.., hidden]).
struct RestExpr {};

enum class UnaryOp { kNegate, kNot };
enum class BinaryOp {
  kPower,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kAdd,
  kSubtract,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kAnd,
  kOr
};
// As written: "-", "not", "//", "and".
std::string_view to_text(UnaryOp op);
std::string_view to_text(BinaryOp op);

struct UnaryExpr {
  UnaryOp op;
  ExprPtr operand;
  Span op_span;
};
struct BinaryExpr {
  BinaryOp op;
  ExprPtr left, right;
  Span op_span;
};
// `0..10`; either may be null in an index only.
struct RangeExpr {
  ExprPtr begin, end;
};
// `[a, b]`: a list, or a shape.
struct ListExpr {
  std::vector<ExprPtr> elements;
};
// `(a, b)`, at least two elements.
struct TupleExpr {
  std::vector<ExprPtr> elements;
};
// `[f(i, j) for i in 0..10 if c for j in 0..i]`: at least one loop, the outermost first.
struct ComprehensionExpr {
  struct Loop {
    PatternPtr pattern;
    ExprPtr iterable;
    std::vector<ExprPtr> filters;
    Span span;
  };
  ExprPtr element;
  std::vector<Loop> loops;
};
// `if c { a } else { b }` as a value; `else if` makes more branches.
struct IfExpr {
  struct Branch {
    ExprPtr condition;
    ExprPtr value;
    Span braces;
  };
  std::vector<Branch> branches;
  ExprPtr otherwise;
  Span otherwise_braces;
};

// An argument of a call or an index: `x`, `over: a`, `x -> [a, b]`.
// The arrow of `einsum(x, w -> [a])` is the `target` of its last argument, w; in `sum(x -> [a], over: b)`, which has
// the same tree as `sum(x, over: b -> [a])`, that of the labelled one. In `rename(x, a -> a2, b -> b2)` each pair is an
// argument with a target.
struct Argument {
  std::optional<Ident> label;
  ExprPtr value;
  ExprPtr target;  // null without an arrow
  Span span;
};
struct CallExpr {
  ExprPtr callee;
  std::vector<Argument> arguments;
  Span arguments_span;  // parentheses included
};
// `x[batch: 3, rows: 2..]`, `set[0..8000]`, `blocks[i]`; at least one argument, no targets.
struct IndexExpr {
  ExprPtr object;
  std::vector<Argument> arguments;
};
struct AttributeExpr {
  ExprPtr object;
  Ident attribute;
};
// `x @ {experts -> all}`, `x @ dp`.
struct AtExpr {
  ExprPtr object;
  LayoutRef layout;
};
// What a function does: `{ … }` or `= e`.
using FunctionBody = std::variant<Block, ExprPtr>;
// `fn(x) { … }` or `fn(x) = e`.
struct LambdaExpr {
  std::vector<Parameter> parameters;
  std::optional<Annotation> result;
  FunctionBody body;
  std::shared_ptr<const syntax::Signature> signature;  // at what stands from `fn` to before the body
};
// `counters { … }`.
struct CountersExpr {
  Block body;
};

struct Expr {
  using Node = std::variant<IntExpr, FloatExpr, BoolExpr, NoneExpr, StringExpr, NameExpr, ElementTypeExpr, RestExpr,
                            UnaryExpr, BinaryExpr, RangeExpr, ListExpr, TupleExpr, ComprehensionExpr, CallExpr,
                            IndexExpr, AttributeExpr, AtExpr, LambdaExpr, CountersExpr, IfExpr>;
  Node node;
  Span span;
  bool parenthesized = false;

  // The node if it is a T, else null: `if (auto* call = expr.as<CallExpr>())`.
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

}  // namespace mtf::ast
