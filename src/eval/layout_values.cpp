#include "eval/layout_values.h"

#include <algorithm>

#include "eval/evaluator.h"
#include "graph/layouts.h"
#include "support/text.h"

namespace mtf {

std::shared_ptr<const AskedLayout> asked_by(Evaluator& evaluator, const ast::LayoutRef& ref, const TensorType& type, const ScopePtr& scope) {
  auto asked = std::make_shared<AskedLayout>();
  if (auto* named = std::get_if<ast::ExprPtr>(&ref.layout)) {
    HostValue value = evaluator.evaluate(**named, scope);
    if (value.is_poison() || value.is_unknown()) return nullptr;
    auto* layout = value.as<LayoutPtr>();
    if (!layout) fail(Kind::type_mismatch, (*named)->span, "expected a layout, found {}", describe(value));
    asked->rules = **layout;
    return asked;
  }
  const auto& literal = std::get<ast::LayoutLiteral>(ref.layout);
  asked->keeps_others = literal.keep_others;
  Layout& rules = asked->rules;
  rules.span = literal.span;
  for (const ast::LayoutRule& rule : literal.rules) {
    HostValue value = evaluator.look_up(rule.dim.name, rule.dim.span, scope);
    if (value.is_poison()) continue;
    const Dim dim = Conversions::to_dim(value, rule.dim.span);
    if (!has_dim(type.dims, dim.name)) {
      std::vector<std::string> names;
      for (const Dim& other : type.dims) names.push_back(other.name.str());
      fail(Diagnostic(Kind::unknown_dim, rule.dim.span, fmt::format("{} has no dimension `{}`", to_string(type), dim.name.text()))
               .help(did_you_mean(dim.name.text(), names)));
    }
    if (rules.find(dim.name)) fail(Kind::duplicate_name, rule.dim.span, "`{}` has a rule already", dim.name.text());
    LayoutRule made{dim.name, {}, rule.span};
    for (const ast::Ident& axis : rule.axes) made.axes.push_back(axis.name);
    rules.rules.push_back(std::move(made));
  }
  return asked;
}

HostValue Evaluator::at(const ast::Expr& expr, const ast::AtExpr& at, const ScopePtr& scope) {
  HostValue object = evaluate(*at.object, scope);
  if (object.is_poison() || object.is_unknown()) return object;
  Value value = convert.to_tensor(object, at.object->span);
  builder.span = expr.span;
  check_mesh(expr.span);
  const MeshPtr& mesh = builder.context.mesh;
  GivenLayout layout;
  layout.sharding = same_mesh(value.mesh(), mesh) ? value.sharding() : replicated(value.dims().size());
  layout.why.asked = asked_by(*this, at.layout, value.type(), scope);
  if (layout.why.asked) layout.sharding = asked_sharding(value.type(), *layout.why.asked, layout.sharding, *mesh, expr.span);
  layout.inherited = layout.sharding.split();
  return builder.laid_out(value, std::move(layout));
}

}  // namespace mtf
