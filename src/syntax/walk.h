#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syntax/ast.h"

namespace mtf::ast {

// The parts of a function or model, in any of its forms: `fn f(x) { … }`, `fn f(x) = e`, `fn(x) { … }`, `fn(x) = e`,
// `model M(a) { … }`.
struct FunctionText {
  std::span<const Parameter> parameters;
  const std::optional<Annotation>* result = nullptr;  // null for a model
  const Block* block = nullptr;                       // or
  const Expr* expression = nullptr;
  const ModelStmt* model = nullptr;  // null for a function
  const Resolved<FunctionFacts>* facts = nullptr;
};
FunctionText text_of(const FnStmt& fn);
FunctionText text_of(const LambdaExpr& lambda);
FunctionText text_of(const ModelStmt& model);

// `n` with its span for a twin `n'` or `n''`. Any other name is returned unchanged.
Ident without_primes(const Ident& ident);

// Adds the names that a pattern binds, from left to right.
void names_of(const Pattern& pattern, std::vector<Ident>& names);
// The names that a statement binds in its enclosing block.
std::vector<Ident> names_bound_by(const Stmt& stmt);

// Walks a tree in evaluation order, and calls a member for each event. This class alone knows the children of each
// node, and the names that a form looks up and binds. A new form of the language does not compile until it is here.
//
// A subclass overrides the members of interest. Members with a node as argument walk its children. An override calls
// the member of this class to continue. The other members do nothing here.
class Walk {
 public:
  virtual ~Walk() = default;

  virtual void statement(const Stmt& stmt);
  virtual void expr(const Expr& expr);
  // A scope. Binds its `fn`s and `model`s first, then walks its statements.
  virtual void block(const Block& block);
  // A scope with the parameters, their annotations and defaults, the result's annotation and the body.
  virtual void function(const FunctionText& text);
  virtual void assignment(const AssignStmt& stmt);
  void annotation(const Annotation& annotation);

 protected:
  // A name that is looked up: an expression, a label of an index, or a dim after `@`. For a twin it is the dim's name.
  virtual void name(Name, Span) {}
  // `..` in a list or a shape: the remaining dims of an argument.
  virtual void rest(Span) {}
  // The label of an argument of a call: a dim (for a twin, the declared dim) or an argument's name.
  virtual void label(const Ident&) {}
  // A name that is bound in the innermost scope from here on.
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
