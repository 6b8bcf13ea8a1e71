#include "eval/layout_values.h"

#include <algorithm>

#include "eval/evaluator.h"
#include "graph/layouts.h"
#include "support/text.h"

namespace mtf {
namespace {

// `x @ w` is a matrix product elsewhere.
std::string help_with_product(const TensorType& x, const HostValue& other) {
  const Value* w = tensor_of(other);
  if (w == nullptr) return {};
  std::vector<std::string> kept;
  for (const Dim& dim : x.dims)
    if (!has_dim(w->dims(), dim.name)) kept.push_back(dim.name.str());
  for (const Dim& dim : w->dims())
    if (!has_dim(x.dims, dim.name)) kept.push_back(dim.name.str());
  return fmt::format("`@` lays a tensor out; a product is `einsum(x, w -> [{}])`", join(kept, ", "));
}

}  // namespace

Sharding sharding_of_reference(Evaluator& evaluator, const ast::LayoutRef& ref, const TensorType& type, const Sharding& present,
                               const ScopePtr& scope, Span span) {
  const Mesh& mesh = *evaluator.builder.context.mesh;
  if (auto* named = std::get_if<ast::ExprPtr>(&ref.layout)) {
    HostValue value = evaluator.evaluate(**named, scope);
    if (value.is_poison() || value.is_unknown()) return present;
    auto* layout = value.as<LayoutPtr>();
    if (!layout) {
      fail(Diagnostic(Kind::type_mismatch, (*named)->span, fmt::format("expected a layout, found {}", describe(value)))
               .help(help_with_product(type, value)));
    }
    return sharding_of(type, **layout, mesh, span);
  }
  const auto& literal = std::get<ast::LayoutLiteral>(ref.layout);
  Layout rules;
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
  Sharding sharding = sharding_of(type, rules, mesh, span);
  if (!literal.keep_others) return sharding;
  const AxisSet claimed = sharding.split();
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (rules.find(type.dims[i].name)) continue;
    for (int axis : present.dims[i]) {
      if (!(claimed & axis_bit(axis))) sharding.dims[i].push_back(axis);
    }
  }
  return sharding;
}

HostValue Evaluator::at(const ast::Expr& expr, const ast::AtExpr& at, const ScopePtr& scope) {
  HostValue object = evaluate(*at.object, scope);
  if (object.is_poison() || object.is_unknown()) return object;
  Value value = convert.to_tensor(object, at.object->span);
  builder.span = expr.span;
  check_mesh(expr.span);
  Sharding present = same_mesh(value.mesh(), builder.context.mesh) ? value.sharding() : replicated(value.dims().size());
  Sharding sharding = sharding_of_reference(*this, at.layout, value.type(), present, scope, expr.span);
  return builder.laid_out(value, sharding, sharding.split());
}

}  // namespace mtf
