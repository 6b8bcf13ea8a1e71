#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syntax/ast.h"

namespace mtf::ast {

// A function's or model's text, whichever of its forms it has: `fn f(x) { … }`, `fn f(x) = e`, `fn(x) { … }`,
// `fn(x) = e`, `model M(a) { … }`.
struct FunctionText {
  std::span<const Parameter> parameters;
  const std::optional<Annotation>* result = nullptr;  // null: of a model
  const Block* block = nullptr;                       // or
  const Expr* expression = nullptr;
  const ModelStmt* model = nullptr;  // null: of a function
};
FunctionText text_of(const FnStmt& fn);
FunctionText text_of(const LambdaExpr& lambda);
FunctionText text_of(const ModelStmt& model);

// `n`, where it stands, of a twin `n'` or `n''`; of any other name itself.
Ident without_primes(const Ident& ident);

// The names that a pattern binds, from left to right.
void names_of(const Pattern& pattern, std::vector<Ident>& names);
// The names that a statement binds in the block in which it stands.
std::vector<Ident> names_bound_by(const Stmt& stmt);

// Walks over a tree in the order in which it is evaluated, and tells what it meets: the one place that knows what
// stands inside what, and which names a form looks up and binds. A new form of the language does not compile until it
// is here.
//
// A walk of its own overrides what it wants to know. Those that take a node walk over what is inside it; an override
// calls the one of this class to go on. The others do nothing here.
class Walk {
 public:
  virtual ~Walk() = default;

  virtual void statement(const Stmt& stmt);
  virtual void expr(const Expr& expr);
  // A scope: its `fn`s and `model`s are bound first, then its statements are walked over.
  virtual void block(const Block& block);
  // A scope with the parameters, their annotations and defaults, the result's annotation and the body.
  virtual void function(const FunctionText& text);
  virtual void assignment(const AssignStmt& stmt);
  void annotation(const Annotation& annotation);

 protected:
  // A name that is looked up: as an expression, as a label of an index, as a dim after `@`. Of a twin it is the dim's.
  virtual void name(Name, Span) {}
  // `..`, in a list or a shape: the remaining dims of an argument.
  virtual void rest(Span) {}
  // The label of an argument of a call: a dim, of a twin that which declares it, or an argument's name.
  virtual void label(const Ident&) {}
  // A name that is bound in the innermost scope, from here on.
  virtual void bind(const Ident&) {}
  virtual void open_scope() {}
  virtual void close_scope() {}

 private:
  void look_up(Name looked_up, Span span) {
    const Ident dim = without_primes({looked_up, span});
    name(dim.name, dim.span);
  }
  void pattern(const Pattern& pattern);
  void shape(const ShapeAnnotation& shape);
  void layout(const LayoutRef& ref);
  void mesh(const MeshLiteral& literal);
  void use(const UseStmt& stmt);
  void with(const WithStmt& stmt);
  void arguments(const std::vector<Argument>& list, bool is_index);
  void optional(const ExprPtr& part) {
    if (part != nullptr) expr(*part);
  }
};

}  // namespace mtf::ast
