#pragma once
// The names of a function that nothing calls: each must be bound, declared or an operation. Nothing is evaluated.
#include <vector>

#include "eval/block_info.h"
#include "eval/evaluator.h"

namespace mtf {

class NameCheck {
 public:
  /// `scope`: where the function is declared, as it is at the program's end.
  NameCheck(Evaluator& evaluator, ScopePtr scope) : evaluator_(evaluator), scope_(std::move(scope)) {}
  void function(const Function& function);
  void model(const ast::ModelStmt& model);

 private:
  void enter(const std::vector<ast::Parameter>& parameters, const std::optional<ast::Annotation>& result);
  void block(const ast::Block& block);
  void statement(const ast::Stmt& stmt);
  void expr(const ast::Expr* expr);
  void annotation(const ast::Annotation& annotation);
  void arguments(const std::vector<ast::Argument>& arguments, bool is_index);
  void layout(const ast::LayoutRef& ref);
  void pattern(const ast::Pattern& pattern);
  void name(Name name, Span span);
  void bind(Name name) { bound_.back().insert(name); }
  std::vector<std::string> names() const;

  Evaluator& evaluator_;
  ScopePtr scope_;
  std::vector<NameSet> bound_;
};

}  // namespace mtf
