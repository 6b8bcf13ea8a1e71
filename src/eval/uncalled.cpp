#include "eval/uncalled.h"

#include <algorithm>

#include "eval/block_info.h"
#include "eval/builtins.h"
#include "eval/findings.h"
#include "eval/name_lookup.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/text.h"
#include "syntax/walk.h"

namespace mtf::eval {
namespace {

/// Checks that each name in an uncalled function is bound, declared or an operation. Evaluates nothing.
class NameCheck : private ast::Walk {
 public:
  /// `scope` is the scope that declares the function, in its state at the end of the program.
  NameCheck(NameLookup& known, Builtins& builtins, Findings& findings, ScopePtr scope)
      : known_(known), builtins_(builtins), findings_(findings), scope_(std::move(scope)) {}
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

  NameLookup& known_;
  Builtins& builtins_;
  Findings& findings_;
  ScopePtr scope_;
  std::vector<NameSet> bound_;
};

std::vector<std::string> NameCheck::names() const {
  std::vector<std::string> names;
  for (const NameSet& set : bound_) {
    for (Name name : set) names.push_back(name.str());
  }
  for (std::string& name : known_.visible_names(scope_.get())) names.push_back(std::move(name));
  return names;
}

bool NameCheck::is_bound(Name name) const {
  return std::any_of(bound_.begin(), bound_.end(), [&](const NameSet& set) { return set.count(name) > 0; });
}

void NameCheck::name(Name name, Span span) {
  if (is_bound(name) || scope_->find(name).binding || builtins_.knows(name) || name == Name("init")) return;
  findings_.report(
      Diagnostic(Kind::unknown_name, span, fmt::format("`{}` is neither declared nor an operation", name.text()))
          .help(known_.help_with_name(name, span, names())));
}

void NameCheck::function(const Function& function) {
  this->function(
      ast::FunctionText{function.signature->declared, function.result, function.block, function.expression, nullptr});
}

void NameCheck::model(const ast::ModelStmt& model) { function(ast::text_of(model)); }

void NameCheck::function(const ast::FunctionText& text) {
  if (text.model) refuse_equal_paths(*text.model);
  Walk::function(text);
}

void NameCheck::refuse_equal_paths(const ast::ModelStmt& model) {
  std::unordered_map<Name, Span> variables;
  for (const ast::Stmt& stmt : model.body.statements) {
    auto* variable = stmt.as<ast::ParamStmt>();
    if (!variable) continue;
    const auto [earlier, is_new] = variables.emplace(variable->name.name, variable->name.span);
    if (is_new) continue;
    findings_.report(Diagnostic(Kind::duplicate_declaration, variable->name.span,
                                fmt::format("`{}` would have the path of another", variable->name.name.text()))
                         .related(earlier->second, "declared here"));
  }
}

void NameCheck::expr(const ast::Expr& e) {
  Walk::expr(e);
  auto* member = e.as<ast::AttributeExpr>();
  auto* base = member ? member->object->as<ast::NameExpr>() : nullptr;
  if (!base || is_bound(base->name)) return;
  const HostValue* value = nullptr;
  if (auto found = scope_->find(base->name); found.binding) value = &found.binding->value;
  else value = builtins_.find(base->name);
  if (value == nullptr || !value->is<ModulePtr>()) return;
  try {
    known_.attribute(*value, member->attribute);
  } catch (const UserError& error) { findings_.report(error.diagnostic()); }
}

}  // namespace

void UncalledFunctions::check_names(NameLookup& names, Builtins& builtins, Findings& findings) {
  for (size_t i = 0; i < functions_.size(); ++i) {
    const FunctionPtr function = functions_[i];
    if (!function->reached) continue;
    if (!called_.insert(function->signature).second) continue;
    NameCheck(names, builtins, findings, function->scope).function(*function);
  }
  for (size_t i = 0; i < models_.size(); ++i) {
    const ModelClassPtr model = models_[i];
    if (!model->reached) continue;
    if (!called_.insert(model->declaration).second) continue;
    NameCheck(names, builtins, findings, model->scope).model(*model->declaration);
  }
}

}  // namespace mtf::eval
