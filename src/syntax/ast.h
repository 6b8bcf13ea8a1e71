#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "syntax/ast_expressions.h"

// The abstract syntax tree: what a script says, without what it means.
//
// A `Program` is one file (or one REPL entry). It owns its SourceFile, and by unique_ptr the whole
// tree. A tree is made by `parse` (syntax/parse.h), is never changed afterwards, and is printed in
// source syntax by `print` (syntax/print.h).
//
// There are three families of nodes (expressions and patterns in syntax/ast_expressions.h), each a struct that holds a
// span and a std::variant `node` of plain structs, one struct for each form of the language:
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
//   - an arrow is only in an argument of a call, and no labelled argument stands behind the only one; `labelled`
//   arguments
//     follow positional ones, except that positional ones may follow labels (an element type given last);
//   - in a script (not in the REPL) an ExprStmt is a call or `counters`;
//   - import, option and setting stand only at the top level, param and state only directly in a model, return only in
//   a
//     function, break and continue only in a loop;
//   - no argument label, parameter, mesh axis, layout dim or name of a pattern stands there twice;
//   - the format of a string part is a format of std::format, with a width and precision below 1000;
//   - nesting is limited, and a chain's length: destroying a tree and moving over it take little stack. What recurses
//   over
//     one asks for stack as it goes (support/stack_budget.h), and so does `Walk` (syntax/walk.h), on which to build.
namespace mtf::ast {

// ---- statements -----------------------------------------------------------------------------------------------------

// `dim batch = 64, hidden = 4 * io`.
struct DimStmt {
  struct Item {
    Ident name;
    Name dim;  // what the dim is called: inside a function or model an own name (support/name.h), which no other has
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
// `setting training = true`: a value that `with` changes for what runs inside.
struct SettingStmt {
  Ident name;
  ExprPtr value;
};
struct SeedStmt {
  ExprPtr value;
};
// `precision bf16`, `precision mixed`.
struct PrecisionStmt {
  Ident word;
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
// `let x = e`, `let x: i32[batch] = e`; only a name has an annotation.
struct LetStmt {
  PatternPtr pattern;
  std::optional<Annotation> annotation;
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
  FunctionBody body;
  std::shared_ptr<const syntax::Signature> signature;  // at what stands from `fn` to before the body
};
struct ModelStmt {
  Ident name;
  std::vector<Parameter> parameters;
  bool has_parentheses = false;  // `model M()` or `model M`
  Block body;
  std::shared_ptr<const syntax::Signature> signature;
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
// Of the innermost loop.
struct BreakStmt {};
struct ContinueStmt {};
// `with training = false { … }`, `with layout dp { … }`, `with mesh grid { … }`, `with precision bf16 { … }`,
// `with seed 3 { … }`: for what runs inside.
struct WithStmt {
  // `nn.training = false`: names and attributes only.
  struct Setting {
    ExprPtr target;
    ExprPtr value;
  };
  struct InForce {
    bool is_mesh;  // the word was `mesh`, not `layout`
    UseStmt what;
  };
  std::variant<Setting, InForce, PrecisionStmt, SeedStmt> what;
  Block body;
};
// `no_grad { … }`: what runs inside keeps nothing for a gradient.
struct NoGradStmt {
  Block body;
};
// Only in a function. The value may be null; that of `return a, b` is a tuple.
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
  using Node = std::variant<DimStmt, MeshStmt, LayoutStmt, UseStmt, OptionStmt, SettingStmt, SeedStmt, PrecisionStmt,
                            ImportStmt, LetStmt, AssignStmt, ParamStmt, FnStmt, ModelStmt, ForStmt, WhileStmt, IfStmt,
                            BreakStmt, ContinueStmt, WithStmt, NoGradStmt, ReturnStmt, AssertStmt, ExprStmt>;
  Node node;
  Span span;
  std::string doc;     // the `##` lines directly above, without the marks
  bool quiet = false;  // followed by `;` on its line: the REPL reports nothing

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

// A comment as written, from its `#` to the end of its line.
struct Comment {
  Span span;
  bool is_doc = false;    // `##`
  bool own_line = false;  // nothing but spaces before it on its line
};

struct Program {
  std::shared_ptr<const SourceFile> file;
  std::string doc;  // the `##` lines at the file's start
  Block body;
  std::vector<Comment> comments;  // in order
};

}  // namespace mtf::ast
