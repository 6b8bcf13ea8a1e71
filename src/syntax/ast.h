#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "syntax/ast_expressions.h"

// The abstract syntax tree: the form of a script, without its meaning.
//
// A `Program` is one file (or one REPL entry). It owns its SourceFile, and by unique_ptr the whole tree. `parse`
// (syntax/parse.h) makes a tree, which never changes afterwards. `print` (syntax/print.h) prints it in source syntax.
//
// There are three families of nodes (expressions and patterns are in syntax/ast_expressions.h). Each is a struct with a
// span and a std::variant `node` of plain structs, one struct for each form of the language:
//
//   Stmt      one statement:      LetStmt, ForStmt, DimStmt, FnStmt …     walk it with std::visit
//   Expr      one expression:     NameExpr, CallExpr, BinaryExpr …
//   Pattern   the left side of `let` and `for`: a name, or a tuple of patterns
//
// An `Ident` is a name in the source with its span. Nothing is looked up here. The evaluator decides whether `batch` is
// a dim, whether `f` is a function or an operation, and whether a label names an argument or a dim.
//
// The span of a statement or expression extends from its first to its last token. An expression in parentheses has
// `parenthesized` set, and a span without them.
//
// Guarantees of the parser, which later stages need not check:
//   - A `..` on its own (RestExpr) is an element of a ListExpr. Layouts and shapes have a flag or an item for `..`.
//   - A range without a beginning or an end is in an index.
//   - Comparisons are not chained. `:=` has a name, attribute or index on its left.
//   - An arrow is in an argument of a call. If it is the only arrow, no labelled argument follows it.
//   - Labelled arguments follow positional ones. Exception: a positional one may follow labels (an element type at the
//   end).
//   - In a script (not in the REPL) an ExprStmt is a call or `counters`.
//   - import, option and setting are at the top level, and param and state directly in a model.
//   - return is in a function, and break and continue are in a loop.
//   - An argument label, parameter, mesh axis, layout dim or name of a pattern is not repeated in its list.
//   - The format of a string part is a format of std::format, with a width and precision below 1000.
//   - Nesting and the length of chains are limited, so destroying or moving a tree takes little stack. Recursive
//     functions over a tree ask for stack (support/stack_budget.h). `Walk` (syntax/walk.h) does so, and is a base to
//     build on.
namespace mtf::ast {

// ---- statements -----------------------------------------------------------------------------------------------------

// `dim batch = 64, hidden = 4 * io`.
struct DimStmt {
  struct Item {
    Ident name;
    Name dim;  // the dim's name: inside a function or model a unique own name (support/name.h)
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
// `layout dp = {batch -> rows}`. keep_others is false.
struct LayoutStmt {
  Ident name;
  LayoutLiteral layout;
};
// `use grid`, `use mine.dp` (names and attributes only), `use [rows: 2]`, `use {batch -> rows}` (keep_others is false).
struct UseStmt {
  std::variant<ExprPtr, LayoutLiteral, MeshLiteral> what;
};
// `option lr = 0.1`.
struct OptionStmt {
  Ident name;
  ExprPtr value;
};
// `setting training = true`: a value that `with` changes inside its block.
struct SettingStmt {
  Ident name;
  ExprPtr value;
};
// `language 1`, the first statement of a file: the version that it was written for.
struct LanguageStmt {
  std::int64_t version = 1;
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
    bool is_file = false;        // written as a string
    std::optional<Ident> alias;  // after `as`
    Ident bound;                 // the bound name: alias, module, or the file's stem
    Span span;
  };
  std::vector<Item> items;
};
// `let x = e`, `let x: i32[batch] = e`. Only a name may have an annotation.
struct LetStmt {
  PatternPtr pattern;
  std::optional<Annotation> annotation;
  ExprPtr value;
};
// `x := e`, `net.w := e`. The target is a NameExpr, AttributeExpr or IndexExpr.
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
  std::shared_ptr<const syntax::Signature> signature;  // its span is from `fn` to before the body
  Resolved<FunctionFacts> facts = {};
};
struct ModelStmt {
  Ident name;
  std::vector<Parameter> parameters;
  bool has_parentheses = false;  // `model M()` or `model M`
  Block body;
  std::shared_ptr<const syntax::Signature> signature;
  Resolved<FunctionFacts> facts = {};
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
// Refer to the innermost loop.
struct BreakStmt {};
struct ContinueStmt {};
// `with training = false { … }`, `with layout dp { … }`, `with mesh grid { … }`, `with precision bf16 { … }`, `with
// seed 3 { … }`: changes the state inside the block.
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
// `no_grad { … }`: operations inside keep nothing for a gradient.
struct NoGradStmt {
  Block body;
};
// Only in a function. The value may be null. The value of `return a, b` is a tuple.
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
  using Node =
      std::variant<LanguageStmt, DimStmt, MeshStmt, LayoutStmt, UseStmt, OptionStmt, SettingStmt, SeedStmt,
                   PrecisionStmt, ImportStmt, LetStmt, AssignStmt, ParamStmt, FnStmt, ModelStmt, ForStmt, WhileStmt,
                   IfStmt, BreakStmt, ContinueStmt, WithStmt, NoGradStmt, ReturnStmt, AssertStmt, ExprStmt>;
  Node node;
  Span span;
  std::string doc;     // the `##` lines directly above, without the marks
  bool quiet = false;  // `;` follows on its line: the REPL reports nothing

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

// A comment in the source, from its `#` to the end of its line.
struct Comment {
  Span span;
  bool is_doc = false;    // `##`
  bool own_line = false;  // only spaces precede it on its line
};

struct Program {
  std::shared_ptr<const SourceFile> file;
  std::string doc;  // the `##` lines at the file's start
  Block body;
  std::vector<Comment> comments;  // in order
  Resolved<ProgramFacts> facts = {};
};

}  // namespace mtf::ast
