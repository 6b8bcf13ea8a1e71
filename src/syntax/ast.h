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

// The abstract syntax tree: what a script says, without what it means.
//
// A `Program` is one file (or one REPL entry). It owns its SourceFile, and by unique_ptr the whole
// tree. A tree is made by `parse` (syntax/parse.h), is never changed afterwards, and is printed in
// source syntax by `print` (syntax/print.h).
//
// There are three families of nodes, each a struct that holds a span and a std::variant `node` of
// plain structs, one struct for each form of the language:
//
//   Stmt      one statement:      LetStmt, ForStmt, DimStmt, FnStmt …     walk it with std::visit
//   Expr      one expression:     NameExpr, CallExpr, BinaryExpr …
//   Pattern   what `let` and `for` bind: a name, or a tuple of patterns
//
// An `Ident` is a name as written, with its place. Nothing here is looked up: whether `batch` is a
// dim, whether `f` is a function or an operation, and whether an argument label is an argument's
// name or a dim, is the evaluator's business.
//
// Spans: that of a statement or expression runs from its first to its last token. An expression in
// parentheses has `parenthesized` set and a span without them.
//
// What the parser has already made sure of, so that later parts need not check it:
//   - a `..` that stands alone (RestExpr) is only an element of a ListExpr; in layouts and shapes it
//     has a flag or item of its own;
//   - a range without a beginning or an end is only in an index;
//   - comparisons are not chained; `:=` has a name, attribute or index on its left;
//   - an arrow is only in an argument of a call; `labelled` arguments follow positional ones, except
//     that positional ones may follow labels (an element type given last);
//   - in a script (not in the REPL) an ExprStmt is a call or `counters`;
//   - import and option stand only at the top level, param and state only directly in a model,
//     return only in a function;
//   - no argument label, parameter, mesh axis, layout dim or name of a pattern stands there twice;
//   - the format of a string part is a format of std::format, with a width and precision below 1000;
//   - nesting is limited, and a chain's length: destroying a tree and moving over it take little stack. What recurses over
//     one asks for stack as it goes (support/stack_budget.h), and so does `Walk` (syntax/walk.h), on which to build.
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

// ---- layouts, shapes and annotations ----

// `batch -> rows`, `batch -> [rows, cols]`. The dim's name is text; it is not looked up in a
// `layout` declaration, and is looked up after `@`.
struct LayoutRule {
  Ident dim;
  std::vector<Ident> axes;
  bool bracketed = false;  // `[rows]` was written with brackets
  Span span;
};

// `{batch -> rows, hidden -> cols}`; `{.., a -> rows}` keeps the other dims as they are.
struct LayoutLiteral {
  bool keep_others = false;
  std::vector<LayoutRule> rules;
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

// `dim`, `int`, `float`, `bool`, `string`, `fn`, `list`, `model`.
struct WordAnnotation {
  Ident word;
  Span span;
};

// `like p`: p's dims, element type and stored layout.
struct LikeAnnotation {
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

// ---- patterns ----

struct TuplePattern {
  std::vector<PatternPtr> parts;  // at least two
};
struct Pattern {
  std::variant<Ident, TuplePattern> node;
  Span span;
};

// ---- expressions ----

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
  kPower, kMultiply, kDivide, kFloorDivide, kModulo, kAdd, kSubtract,
  kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kAnd, kOr
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
// `[f(i) for i in 0..10]`.
struct ComprehensionExpr {
  ExprPtr element;
  PatternPtr pattern;
  ExprPtr iterable;
};

// An argument of a call or an index: `x`, `over: a`, `x -> [a, b]`.
// The arrow of `einsum(x, w -> [a])` is the `target` of its last positional argument, w; in
// `rename(x, a -> a2, b -> b2)` each pair is an argument with a target. Never both label and target.
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
// `fn(x) = e`.
struct LambdaExpr {
  std::vector<Parameter> parameters;
  std::optional<Annotation> result;
  ExprPtr body;
};
// `counters { … }`.
struct CountersExpr {
  Block body;
};

struct Expr {
  using Node = std::variant<IntExpr, FloatExpr, BoolExpr, StringExpr, NameExpr, ElementTypeExpr, RestExpr,
                            UnaryExpr, BinaryExpr, RangeExpr, ListExpr, TupleExpr, ComprehensionExpr, CallExpr,
                            IndexExpr, AttributeExpr, AtExpr, LambdaExpr, CountersExpr>;
  Node node;
  Span span;
  bool parenthesized = false;

  // The node if it is a T, else null: `if (auto* call = expr.as<CallExpr>())`.
  template <typename T>
  const T* as() const { return std::get_if<T>(&node); }
};

// ---- statements ----

// `dim batch = 64, hidden = 4 * io`.
struct DimStmt {
  struct Item {
    Ident name;
    ExprPtr size;
    Span span;
  };
  std::vector<Item> items;
};
// `[rows: 2, cols: 2]`.
struct MeshLiteral {
  struct Axis {
    Ident name;
    ExprPtr size;
    Span span;
  };
  std::vector<Axis> axes;
  Span span;
};
// `mesh grid = [rows: 2, cols: 2]`.
struct MeshStmt {
  Ident name;
  MeshLiteral mesh;
};
// `layout dp = {batch -> rows}`; keep_others is false.
struct LayoutStmt {
  Ident name;
  LayoutLiteral layout;
};
// `use grid`, `use mine.dp`: names and attributes only; `use [rows: 2]`, `use {batch -> rows}`: keep_others is false.
struct UseStmt {
  std::variant<ExprPtr, LayoutLiteral, MeshLiteral> what;
};
// `option lr = 0.1`.
struct OptionStmt {
  Ident name;
  ExprPtr value;
};
struct SeedStmt {
  ExprPtr value;
};
// `precision bf16`.
struct PrecisionStmt {
  Ident element_type;
};
// `import nn, "lib/mine.mtf" as mine`. Only at the top level of a file.
struct ImportStmt {
  struct Item {
    std::string path;            // "nn" or "lib/mine.mtf"
    bool is_file = false;        // it was written as a string
    std::optional<Ident> alias;  // after `as`
    Ident bound;                 // the name that it binds: alias, module, or the file's stem
    Span span;
  };
  std::vector<Item> items;
};
struct LetStmt {
  PatternPtr pattern;
  ExprPtr value;
};
// `x := e`, `net.w := e`: target is a NameExpr, AttributeExpr or IndexExpr.
struct AssignStmt {
  ExprPtr target;
  ExprPtr value;
};
// `param w: [a, b] @ {.., a -> rows} = e`, `state m: like p = 0`. Only directly in a model.
struct ParamStmt {
  bool trainable;  // `param`, not `state`
  Ident name;
  StoredAnnotation type;
  std::optional<LayoutRef> stored;
  ExprPtr value;
};
// `fn f(x) -> [a] { … }` or `fn f(x) = e`.
struct FnStmt {
  Ident name;
  std::vector<Parameter> parameters;
  std::optional<Annotation> result;
  std::variant<Block, ExprPtr> body;
  Span signature_span;  // from `fn` to before the body
};
struct ModelStmt {
  Ident name;
  std::vector<Parameter> parameters;
  bool has_parentheses = false;  // `model M()` or `model M`
  Block body;
  Span signature_span;
};
struct ForStmt {
  PatternPtr pattern;
  ExprPtr iterable;
  Block body;
};
struct WhileStmt {
  ExprPtr condition;
  Block body;
};
struct IfStmt {
  struct Branch {
    ExprPtr condition;
    Block body;
  };
  std::vector<Branch> branches;  // `if`, then each `else if`
  std::optional<Block> otherwise;
};
// `no_grad { … }`: what runs inside keeps nothing for a gradient.
struct NoGradStmt {
  Block body;
};
// Only in a function. The value may be null.
struct ReturnStmt {
  ExprPtr value;
};
// `assert c, "message"`. The message may be null.
struct AssertStmt {
  ExprPtr condition;
  ExprPtr message;
};
struct ExprStmt {
  ExprPtr value;
};

struct Stmt {
  using Node = std::variant<DimStmt, MeshStmt, LayoutStmt, UseStmt, OptionStmt, SeedStmt, PrecisionStmt, ImportStmt,
                            LetStmt, AssignStmt, ParamStmt, FnStmt, ModelStmt, ForStmt, WhileStmt, IfStmt, NoGradStmt,
                            ReturnStmt, AssertStmt, ExprStmt>;
  Node node;
  Span span;
  std::string doc;     // the `##` lines directly above, without the marks
  bool quiet = false;  // followed by `;` on its line: the REPL reports nothing

  template <typename T>
  const T* as() const { return std::get_if<T>(&node); }
};

// A comment as written, from its `#` to the end of its line.
struct Comment {
  Span span;
  bool is_doc = false;      // `##`
  bool own_line = false;    // nothing but spaces before it on its line
};

struct Program {
  std::shared_ptr<const SourceFile> file;
  std::string doc;  // the `##` lines at the file's start
  Block body;
  std::vector<Comment> comments;  // in order
};

}  // namespace mtf::ast
