#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/name.h"
#include "support/source.h"
#include "types/by_path.h"

namespace mtf::syntax {
struct Signature;  // syntax/signature.h
}

// The forms of expressions and of their parts: names, layouts, shapes, patterns. syntax/ast.h explains the tree and its
// invariants.
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

// What the resolver says about a node (syntax/resolver.h). Null until it has walked the tree.
template <typename Facts>
class Resolved {
 public:
  const Facts& operator*() const { return *facts_; }
  const Facts* operator->() const { return facts_.get(); }
  void set(std::shared_ptr<const Facts> facts) const { facts_ = std::move(facts); }

 private:
  mutable std::shared_ptr<const Facts> facts_;
};
struct BlockFacts;
struct FunctionFacts;
struct ProgramFacts;

// Statements between `{` and `}`, or a whole file. A block is a scope.
struct Block {
  Span span;  // braces included
  std::vector<Stmt> statements;
  Resolved<BlockFacts> facts = {};
};

// ---- layouts, shapes and annotations --------------------------------------------------------------------------------

// `batch -> rows`, `batch -> [rows, cols]`. In a `layout` declaration the dim's name is only text. After `@` it is
// looked up.
struct LayoutRule {
  Ident dim;
  std::vector<Ident> axes;
  bool bracketed = false;  // `[rows]` was written with brackets
  Span span;
};

// `params "blocks[*].*": {d_model -> data}`: the layout of what has a path that matches the pattern.
struct PathRule {
  ByPath of = ByPath::kParams;
  std::string path;
  std::vector<LayoutRule> rules;
  Span head;  // `params "blocks[*].*"`
  Span span;
};

// `{batch -> rows, hidden -> cols}`. `{.., a -> rows}` keeps the other dims as they are. Only a layout for `use`,
// `with` or a declaration may have rules by path.
struct LayoutLiteral {
  bool keep_others = false;
  std::vector<LayoutRule> rules;
  std::vector<PathRule> by_path;
  Span span;
};

// The operand of `@`: a literal, or an expression of names and attributes (`dp`, `mine.dp`).
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

// `like p`: p's dims, element type and stored layout. `f32 like p`: the same in f32.
struct LikeAnnotation {
  std::optional<Ident> element_type;
  ExprPtr of;
  Span span;
};

using Annotation = std::variant<ShapeAnnotation, WordAnnotation>;
// The type of a param or state.
using StoredAnnotation = std::variant<ShapeAnnotation, LikeAnnotation>;

// A parameter as declared in a function or a model: `x: [.., a]`, `n: int = 2`.
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
  std::string text;  // as in the source
};
struct BoolExpr {
  bool value;
};
// `none`.
struct NoneExpr {};

// A piece of a string: text with resolved escapes, or `{value:format}`.
struct StringPart {
  std::string text;                   // used if value is null
  ExprPtr value;                      // may be null
  std::optional<std::string> format;  // the text after `:`; only with a value
  Span span;
  Span format_span;
};
// Pieces of text are never adjacent. "" has no pieces.
struct StringExpr {
  std::vector<StringPart> parts;
};

// The binding that a name stood for when it was last looked up: so many scopes outwards, and there at this index.
// Saves the evaluator a search. It has to be checked, because the next evaluation may have other scopes, and because
// threads that share a tree may store their findings at once.
class Slot {
 public:
  Slot() = default;
  Slot(const Slot& other) : at_(other.at_.load(std::memory_order_relaxed)) {}
  Slot& operator=(const Slot& other) {
    at_.store(other.at_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }
  struct At {
    std::uint16_t depth = 0, index = 0;
  };
  [[gnu::always_inline]] At get() const { return at_.load(std::memory_order_relaxed); }
  void set(At at) const { at_.store(at, std::memory_order_relaxed); }

 private:
  mutable std::atomic<At> at_ = At();
};
struct NameExpr {
  Name name;
  Slot slot = {};
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
// The operator in source syntax: "-", "not", "//", "and".
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
// `0..10`. In an index either may be null.
struct RangeExpr {
  ExprPtr begin, end;
};
// `[a, b]`: a list, or a shape.
struct ListExpr {
  std::vector<ExprPtr> elements;
};
// `(a, b)`, with at least two elements.
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
// `if c { a } else { b }` as a value. `else if` adds branches.
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

// An argument of a call or an index: `x`, `over: a`, `x -> [a, b]`. An arrow is the `target` of an argument. In
// `einsum(x, w -> [a])` it belongs to the last argument, w. In `sum(x -> [a], over: b)`, which has the same tree as
// `sum(x, over: b -> [a])`, it belongs to the labelled one. In `rename(x, a -> a2, b -> b2)` each pair is an argument
// with a target.
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
// `x[batch: 3, rows: 2..]`, `set[0..8000]`, `blocks[i]`. It has at least one argument, and no targets.
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
// The body of a function: `{ … }` or `= e`.
using FunctionBody = std::variant<Block, ExprPtr>;
// `fn(x) { … }` or `fn(x) = e`.
struct LambdaExpr {
  std::vector<Parameter> parameters;
  std::optional<Annotation> result;
  FunctionBody body;
  std::shared_ptr<const syntax::Signature> signature;  // its span is from `fn` to before the body
  Resolved<FunctionFacts> facts = {};
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

  // The node if it is a T, otherwise null: `if (auto* call = expr.as<CallExpr>())`.
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

}  // namespace mtf::ast
