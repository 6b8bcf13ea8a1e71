#pragma once
// The names of a function that nothing calls: each must be bound, declared or an operation. Nothing is evaluated.
#include <vector>

#include "eval/block_info.h"
#include "eval/evaluator.h"
#include "syntax/walk.h"

namespace mtf {

class NameCheck : private ast::Walk {
 public:
  /// `scope`: where the function is declared, as it is at the program's end.
  NameCheck(Evaluator& evaluator, ScopePtr scope) : evaluator_(evaluator), scope_(std::move(scope)) {}
  void function(const Function& function);
  void model(const ast::ModelStmt& model);

 private:
  void function(const ast::FunctionText& text) override;
  void expr(const ast::Expr& expr) override;
  void name(Name name, Span span) override;
  void bind(const ast::Ident& ident) override { bound_.back().insert(ident.name); }
  void open_scope() override { bound_.emplace_back(); }
  void close_scope() override { bound_.pop_back(); }
  void refuse_equal_paths(const ast::ModelStmt& model);
  bool is_bound(Name name) const;
  std::vector<std::string> names() const;

  Evaluator& evaluator_;
  ScopePtr scope_;
  std::vector<NameSet> bound_;
};

}  // namespace mtf
