#include "eval/gradient_flow.h"

#include <utility>

namespace mtf::eval {
namespace {

const Name kGradient("grad");

/// Returns a callee as in NamesRead::code: `f`, `nn.relu`. Empty if it is neither a name nor a part of one.
Name callee_name(const ast::Expr& callee) {
  if (auto* name = callee.as<ast::NameExpr>()) return name->name;
  if (auto* part = callee.as<ast::AttributeExpr>())
    if (auto* object = part->object->as<ast::NameExpr>()) return object->name.str() + "." + part->attribute.name.str();
  return {};
}

/// True for a call `grad(…)`.
bool is_gradient(const ast::CallExpr& call) {
  auto* name = call.callee->as<ast::NameExpr>();
  return name && name->name == kGradient;
}

class ReadNames : public ast::Walk {
 public:
  NamesRead found;

  void expr(const ast::Expr& e) override {
    if (e.as<ast::CountersExpr>()) return;  // counts hold no tensors
    auto* call = e.as<ast::CallExpr>();
    const Name callee = call ? callee_name(*call->callee) : Name();
    if (callee.empty()) return Walk::expr(e);
    if (!is_gradient(*call) || functions_ > 0) found.code.insert(callee);
    found.values.insert(ast::base_name(*call->callee));
    for (const ast::Argument& argument : call->arguments) {
      expr(*argument.value);
      if (argument.target) expr(*argument.target);
    }
  }

  void function(const ast::FunctionText& text) override {
    ++functions_;
    Walk::function(text);
    --functions_;
  }

 protected:
  void name(Name name, Span) override {
    found.values.insert(name);
    found.code.insert(name);
  }

 private:
  int functions_ = 0;
};

NamesRead read_by(const ast::Expr& e) {
  ReadNames names;
  names.expr(e);
  return std::move(names.found);
}

NameSet bound_by(const ast::Pattern& pattern) {
  std::vector<ast::Ident> idents;
  ast::names_of(pattern, idents);
  NameSet names;
  for (const ast::Ident& ident : idents) names.insert(ident.name);
  return names;
}

class FlowWalk : public ast::Walk {
 public:
  std::vector<GradientFlow> flows;

  void statement(const ast::Stmt& stmt) override {
    using Kind = GradientFlow::Kind;
    if (auto* let = stmt.as<ast::LetStmt>()) {
      flows.push_back({Kind::kBinds, bound_by(*let->pattern), read_by(*let->value)});
    } else if (auto* loop = stmt.as<ast::ForStmt>()) {
      flows.push_back({Kind::kBinds, bound_by(*loop->pattern), read_by(*loop->iterable)});
    } else if (auto* option = stmt.as<ast::OptionStmt>()) {
      flows.push_back({Kind::kBinds, {option->name.name}, read_by(*option->value)});
    } else if (auto* setting = stmt.as<ast::SettingStmt>()) {
      flows.push_back({Kind::kLeaves, {}, read_by(*setting->value)});
    } else if (auto* param = stmt.as<ast::ParamStmt>()) {
      flows.push_back({Kind::kLeaves, {}, read_by(*param->value)});
    } else if (auto* with = stmt.as<ast::WithStmt>()) {
      if (auto* changed = std::get_if<ast::WithStmt::Setting>(&with->what))
        flows.push_back({Kind::kLeaves, {}, read_by(*changed->value)});
    } else if (auto* returned = stmt.as<ast::ReturnStmt>()) {
      if (returned->value) flows.push_back({Kind::kLeaves, {}, read_by(*returned->value)});
    } else if (auto* fn = stmt.as<ast::FnStmt>()) {
      return declares(fn->name.name, ast::text_of(*fn));
    } else if (auto* model = stmt.as<ast::ModelStmt>()) {
      return declares(model->name.name, ast::text_of(*model));
    }
    Walk::statement(stmt);
  }

  void assignment(const ast::AssignStmt& stmt) override {
    if (auto* name = stmt.target->as<ast::NameExpr>())
      flows.push_back({GradientFlow::Kind::kAssigns, {name->name}, read_by(*stmt.value)});
    else if (auto* part = stmt.target->as<ast::AttributeExpr>())
      flows.push_back({GradientFlow::Kind::kStores, {part->attribute.name}, read_by(*stmt.value)});
    Walk::assignment(stmt);
  }

  void expr(const ast::Expr& e) override {
    if (auto* list = e.as<ast::ComprehensionExpr>())
      for (const auto& loop : list->loops)
        flows.push_back({GradientFlow::Kind::kBinds, bound_by(*loop.pattern), read_by(*loop.iterable)});
    if (auto* call = e.as<ast::CallExpr>()) {
      const Name callee = callee_name(*call->callee);
      NamesRead from = read_by(e);
      if (is_gradient(*call)) flows.push_back({GradientFlow::Kind::kLeaves, {}, std::move(from)});
      else flows.push_back({GradientFlow::Kind::kCalls, {}, std::move(from), callee});
    }
    Walk::expr(e);
  }

  /// Skips functions: their names are captured, and their effect is known when they are called.
  void function(const ast::FunctionText&) override {}

 private:
  void declares(Name name, const ast::FunctionText& text) {
    ReadNames names;
    names.function(text);
    flows.push_back({GradientFlow::Kind::kBinds, {name}, std::move(names.found)});
  }
};

}  // namespace

std::vector<GradientFlow> gradient_flows(const ast::Stmt& stmt) {
  FlowWalk walk;
  walk.statement(stmt);
  return std::move(walk.flows);
}

}  // namespace mtf::eval
