#include "eval/name_check.h"

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

void NameCheck::name(Name name, Span span) {
  for (const NameSet& set : bound_) {
    if (set.count(name)) return;
  }
  if (scope_->find(name).binding || evaluator_.builtins.count(name) || name == Name("init")) return;
  if (const Op* op = find_op(name.text()); op && !op->signature.empty()) return;
  evaluator_.diagnostics->add(Diagnostic(Kind::unknown_name, span, fmt::format("`{}` is neither declared nor an operation", name.text()))
                                  .help(evaluator_.help_with_name(name, names())));
}

void NameCheck::enter(const std::vector<ast::Parameter>& parameters, const std::optional<ast::Annotation>& result) {
  bound_.emplace_back();
  for (const auto& parameter : parameters) bind(parameter.name.name);
  for (const auto& parameter : parameters) {
    if (parameter.annotation) annotation(*parameter.annotation);
    expr(parameter.default_value.get());
  }
  if (result) annotation(*result);
}

void NameCheck::function(const Function& function) {
  enter(*function.parameters, *function.result);
  if (function.block) block(*function.block);
  expr(function.expression);
  bound_.pop_back();
}

void NameCheck::model(const ast::ModelStmt& model) {
  enter(model.parameters, std::nullopt);
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
  block(model.body);
  bound_.pop_back();
}

void NameCheck::block(const ast::Block& block) {
  bound_.emplace_back();
  for (const ast::Stmt& stmt : block.statements) {
    if (auto* fn = stmt.as<ast::FnStmt>()) bind(fn->name.name);
    if (auto* model = stmt.as<ast::ModelStmt>()) bind(model->name.name);
  }
  for (const ast::Stmt& stmt : block.statements) statement(stmt);
  bound_.pop_back();
}

void NameCheck::statement(const ast::Stmt& stmt) {
  if (auto* s = stmt.as<ast::DimStmt>()) {
    for (const auto& item : s->items) {
      expr(item.size.get());
      bind(item.name.name);
    }
  } else if (auto* s = stmt.as<ast::MeshStmt>()) {
    for (const auto& axis : s->axes) expr(axis.size.get());
    bind(s->name.name);
  } else if (auto* s = stmt.as<ast::LayoutStmt>()) {
    bind(s->name.name);
  } else if (auto* s = stmt.as<ast::UseStmt>()) {
    expr(s->what.get());
  } else if (auto* s = stmt.as<ast::SeedStmt>()) {
    expr(s->value.get());
  } else if (auto* s = stmt.as<ast::LetStmt>()) {
    expr(s->value.get());
    pattern(*s->pattern);
  } else if (auto* s = stmt.as<ast::AssignStmt>()) {
    expr(s->target.get());
    expr(s->value.get());
  } else if (auto* s = stmt.as<ast::ParamStmt>()) {
    if (auto* shape = std::get_if<ast::ShapeAnnotation>(&s->type)) {
      for (const auto& item : shape->items) expr(item.dim.get());
    } else {
      expr(std::get<ast::LikeAnnotation>(s->type).of.get());
    }
    if (s->stored) layout(*s->stored);
    expr(s->value.get());
    bind(s->name.name);
  } else if (auto* s = stmt.as<ast::FnStmt>()) {
    enter(s->parameters, s->result);
    if (auto* body = std::get_if<ast::Block>(&s->body)) block(*body);
    else expr(std::get<ast::ExprPtr>(s->body).get());
    bound_.pop_back();
  } else if (auto* s = stmt.as<ast::ModelStmt>()) {
    model(*s);
  } else if (auto* s = stmt.as<ast::ForStmt>()) {
    expr(s->iterable.get());
    bound_.emplace_back();
    pattern(*s->pattern);
    block(s->body);
    bound_.pop_back();
  } else if (auto* s = stmt.as<ast::WhileStmt>()) {
    expr(s->condition.get());
    block(s->body);
  } else if (auto* s = stmt.as<ast::IfStmt>()) {
    for (const auto& branch : s->branches) {
      expr(branch.condition.get());
      block(branch.body);
    }
    if (s->otherwise) block(*s->otherwise);
  } else if (auto* s = stmt.as<ast::NoGradStmt>()) {
    block(s->body);
  } else if (auto* s = stmt.as<ast::ReturnStmt>()) {
    expr(s->value.get());
  } else if (auto* s = stmt.as<ast::AssertStmt>()) {
    expr(s->condition.get());
    expr(s->message.get());
  } else if (auto* s = stmt.as<ast::ExprStmt>()) {
    expr(s->value.get());
  }
}

void NameCheck::expr(const ast::Expr* e) {
  if (!e) return;
  if (auto* n = e->as<ast::NameExpr>()) {
    name(n->name, e->span);
  } else if (auto* s = e->as<ast::StringExpr>()) {
    for (const auto& part : s->parts) expr(part.value.get());
  } else if (auto* u = e->as<ast::UnaryExpr>()) {
    expr(u->operand.get());
  } else if (auto* b = e->as<ast::BinaryExpr>()) {
    expr(b->left.get());
    expr(b->right.get());
  } else if (auto* r = e->as<ast::RangeExpr>()) {
    expr(r->begin.get());
    expr(r->end.get());
  } else if (auto* l = e->as<ast::ListExpr>()) {
    for (const auto& element : l->elements) expr(element.get());
  } else if (auto* t = e->as<ast::TupleExpr>()) {
    for (const auto& element : t->elements) expr(element.get());
  } else if (auto* c = e->as<ast::ComprehensionExpr>()) {
    expr(c->iterable.get());
    bound_.emplace_back();
    pattern(*c->pattern);
    expr(c->element.get());
    bound_.pop_back();
  } else if (auto* c = e->as<ast::CallExpr>()) {
    expr(c->callee.get());
    arguments(c->arguments, false);
  } else if (auto* i = e->as<ast::IndexExpr>()) {
    expr(i->object.get());
    arguments(i->arguments, true);
  } else if (auto* a = e->as<ast::AttributeExpr>()) {
    expr(a->object.get());
    auto* base = a->object->as<ast::NameExpr>();
    if (!base) return;
    for (const NameSet& set : bound_) {
      if (set.count(base->name)) return;
    }
    HostValue value;
    if (auto found = scope_->find(base->name); found.binding) value = found.binding->value;
    else if (auto known = evaluator_.builtins.find(base->name); known != evaluator_.builtins.end()) value = known->second;
    if (value.is<ModulePtr>()) evaluator_.diagnostics->attempt([&] { evaluator_.attribute(value, a->attribute, scope_); });
  } else if (auto* a = e->as<ast::AtExpr>()) {
    expr(a->object.get());
    layout(a->layout);
  } else if (auto* l = e->as<ast::LambdaExpr>()) {
    enter(l->parameters, l->result);
    expr(l->body.get());
    bound_.pop_back();
  } else if (auto* c = e->as<ast::CountersExpr>()) {
    block(c->body);
  }
}

void NameCheck::annotation(const ast::Annotation& a) {
  if (auto* shape = std::get_if<ast::ShapeAnnotation>(&a)) {
    for (const auto& item : shape->items) expr(item.dim.get());
  }
}

void NameCheck::arguments(const std::vector<ast::Argument>& list, bool is_index) {
  for (const auto& argument : list) {
    if (argument.label && is_index) name(argument.label->name, argument.label->span);
    expr(argument.value.get());
    expr(argument.target.get());
  }
}

void NameCheck::layout(const ast::LayoutRef& ref) {
  if (auto* named = std::get_if<ast::ExprPtr>(&ref.layout)) {
    expr(named->get());
  } else {
    for (const auto& rule : std::get<ast::LayoutLiteral>(ref.layout).rules) name(rule.dim.name, rule.dim.span);
  }
}

void NameCheck::pattern(const ast::Pattern& p) {
  std::vector<ast::Ident> idents;
  names_of(p, idents);
  for (const ast::Ident& ident : idents) bind(ident.name);
}

}  // namespace mtf
