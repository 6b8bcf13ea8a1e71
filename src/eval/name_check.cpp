#include "eval/name_check.h"

#include <algorithm>

#include "ops/registry.h"
#include "support/text.h"

namespace mtf {

std::vector<std::string> NameCheck::names() const {
  std::vector<std::string> names;
  for (const NameSet& set : bound_) {
    for (Name name : set) names.push_back(name.str());
  }
  for (std::string& name : evaluator_.visible_names(scope_.get())) names.push_back(std::move(name));
  return names;
}

bool NameCheck::is_bound(Name name) const {
  return std::any_of(bound_.begin(), bound_.end(), [&](const NameSet& set) { return set.count(name) > 0; });
}

void NameCheck::name(Name name, Span span) {
  if (is_bound(name) || scope_->find(name).binding || evaluator_.builtins.count(name) || name == Name("init")) return;
  if (const Op* op = find_op(name.text()); op && !op->signature.empty()) return;
  evaluator_.diagnostics->add(Diagnostic(Kind::unknown_name, span, fmt::format("`{}` is neither declared nor an operation", name.text()))
                                  .help(evaluator_.help_with_name(name, names())));
  evaluator_.end_after_many_errors();
}

void NameCheck::function(const Function& function) {
  this->function(ast::FunctionText{function.parameters, function.result, function.block, function.expression, nullptr});
}

void NameCheck::model(const ast::ModelStmt& model) { function(ast::text_of(model)); }

void NameCheck::function(const ast::FunctionText& text) {
  if (text.model) refuse_equal_paths(*text.model);
  Walk::function(text);
}

void NameCheck::refuse_equal_paths(const ast::ModelStmt& model) {
  std::vector<const ast::Ident*> variables;
  for (const ast::Stmt& stmt : model.body.statements) {
    auto* variable = stmt.as<ast::ParamStmt>();
    if (!variable) continue;
    for (const ast::Ident* earlier : variables) {
      if (earlier->name != variable->name.name) continue;
      evaluator_.diagnostics->add(Diagnostic(Kind::duplicate_declaration, variable->name.span, fmt::format("`{}` would have the path of another", earlier->name.text()))
                                      .related(earlier->span, "declared here"));
    }
    variables.push_back(&variable->name);
  }
}

void NameCheck::expr(const ast::Expr& e) {
  Walk::expr(e);
  auto* member = e.as<ast::AttributeExpr>();
  auto* base = member ? member->object->as<ast::NameExpr>() : nullptr;
  if (!base || is_bound(base->name)) return;
  HostValue value;
  if (auto found = scope_->find(base->name); found.binding) value = found.binding->value;
  else if (auto known = evaluator_.builtins.find(base->name); known != evaluator_.builtins.end()) value = known->second;
  if (value.is<ModulePtr>()) evaluator_.diagnostics->attempt([&] { evaluator_.attribute(value, member->attribute, scope_); });
}

}  // namespace mtf
