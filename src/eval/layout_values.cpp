#include <algorithm>

#include "eval/evaluator.h"
#include "graph/layouts.h"
#include "ops/shape.h"
#include "support/text.h"

namespace mtf {

void Evaluator::check_mesh(Span span) {
  const Mesh* mesh = builder.context.mesh.get();
  if (mesh == checked_mesh_) return;
  if (mesh->size() < settings.ranks) {
    if (diagnostics) checked_mesh_ = mesh;  // said once is enough
    fail(Diagnostic(Kind::mesh_too_small, span, fmt::format("the mesh {} has {}, found {}", to_string(*mesh), count_text(mesh->size(), "processor"),
                                                            count_text(settings.ranks, "rank")))
             .help(fmt::format("start at most {} with mpirun, or declare a larger mesh", count_text(mesh->size(), "rank"))));
  }
  if (static_cast<int64_t>(settings.placement.size()) == mesh->size()) placement_fits_ = true;
  else if (unplaced_mesh_.empty()) unplaced_mesh_ = to_string(*mesh);
  checked_mesh_ = mesh;
}

void Evaluator::check_axis(const std::string& axis, Span span) const {
  std::vector<std::string> names = {"all"};
  for (Name name : axis_names_) names.push_back(name.str());
  if (settings.mesh)
    for (const Axis& each : *settings.mesh) names.push_back(each.name.str());
  if (std::find(names.begin(), names.end(), axis) != names.end()) return;
  std::sort(names.begin(), names.end());
  fail(Diagnostic(Kind::unknown_axis, span, fmt::format("no mesh of the program or the command line has an axis {}", code(axis)))
           .help(did_you_mean(axis, names)));
}

Sharding Evaluator::sharding_of_reference(const ast::LayoutRef& ref, const TensorType& type, const Sharding& present,
                                          const ScopePtr& scope, Span span) {
  const Mesh& mesh = *builder.context.mesh;
  if (auto* named = std::get_if<ast::ExprPtr>(&ref.layout)) {
    HostValue value = evaluate(**named, scope);
    if (value.is_poison() || value.is_unknown()) return present;
    auto* layout = value.as<LayoutPtr>();
    if (!layout) fail(Kind::type_mismatch, (*named)->span, "expected a layout, found {}", describe(value));
    return sharding_of(type, **layout, mesh, span);
  }
  const auto& literal = std::get<ast::LayoutLiteral>(ref.layout);
  Layout rules;
  rules.span = literal.span;
  for (const ast::LayoutRule& rule : literal.rules) {
    HostValue value = look_up(rule.dim.name, rule.dim.span, scope);
    if (value.is_poison()) continue;
    const Dim dim = to_dim(value, rule.dim.span);
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
  Value value = to_tensor(object, at.object->span);
  builder.span = expr.span;
  check_mesh(expr.span);
  Sharding present = same_mesh(value.mesh(), builder.context.mesh) ? value.sharding() : replicated(value.dims().size());
  Sharding sharding = sharding_of_reference(at.layout, value.type(), present, scope, expr.span);
  return builder.laid_out(value, sharding, sharding.split());
}

// ---- indices ---------------------------------------------------------------------------------------------------------

HostValue Evaluator::index(const ast::Expr& expr, const ast::IndexExpr& index, const ScopePtr& scope) {
  HostValue object = evaluate(*index.object, scope);
  std::vector<HostValue> values;
  for (const ast::Argument& argument : index.arguments) {
    values.push_back(evaluate(*argument.value, scope));
    if (values.back().is_poison()) return Poison{};
  }
  if (object.is_poison() || object.is_unknown()) return object;
  if (tensor_of(object)) {
    Value result = to_tensor(object, index.object->span);
    check_mesh(expr.span);
    builder.span = expr.span;
    std::vector<std::pair<Name, size_t>> places;
    for (size_t i = 0; i < index.arguments.size(); ++i) {
      const ast::Argument& argument = index.arguments[i];
      if (!argument.label) {
        fail(Diagnostic(Kind::not_indexable, argument.span, fmt::format("{} is indexed by the names of its dimensions", describe(object)))
                 .help(result.dims().empty() ? "" : fmt::format("`x[{}: {}]`", result.dims()[0].name.text(), argument.value->span.text())));
      }
      HostValue named = look_up(argument.label->name, argument.label->span, scope);
      if (named.is_poison()) return named;
      const Dim dim = to_dim(named, argument.label->span);
      const int place = find_dim(result.dims(), dim.name);
      if (place < 0) {
        std::vector<std::string> names;
        for (const Dim& other : result.dims()) names.push_back(other.name.str());
        fail(Diagnostic(Kind::unknown_dim, argument.label->span, fmt::format("{} has no dimension `{}`", describe(object), dim.name.text()))
                 .help(did_you_mean(dim.name.text(), names)));
      }
      if (auto* range = values[i].as<Range>()) {
        if (!range->known) return unknown(UnknownKind::kAny);
        const int64_t last = range->open_last ? result.dims()[place].size : range->last;
        result = slice_dim(builder, result, place, range->first, last, 1, argument.value->span);
      } else {
        places.emplace_back(dim.name, i);
      }
    }
    for (auto [name, i] : places) {
      const Span span = index.arguments[i].value->span;
      auto number = to_int(values[i], span, "an index");
      const int place = find_dim(result.dims(), name);
      result = index_dim(builder, result, place, number ? static_cast<double>(*number) : std::numeric_limits<double>::quiet_NaN(), span);
    }
    return result;
  }
  const Span span = index.arguments[0].value->span;
  if (index.arguments.size() == 1 && !index.arguments[0].label) {
    auto* range = values[0].as<Range>();
    if (auto* list = object.as<ListPtr>()) {
      const auto& items = (*list)->items;
      const auto size = static_cast<int64_t>(items.size());
      if (range) {
        if (!range->known) fail(Kind::size_unknown, span, "the bounds of this part of a list are only known when the program runs");
        const int64_t first = range->first, last = range->open_last ? size : range->last;
        if (first < 0 || last > size || first > last) fail(Kind::index_out_of_range, span, "expected a range within 0..{}, found {}..{}", size, first, last);
        return make_list(std::vector<HostValue>(items.begin() + first, items.begin() + last));
      }
      auto number = to_int(values[0], span, "an index");
      if (!number) return items.size() == 0 ? unknown(UnknownKind::kAny) : items[0].is_unknown() || tensor_of(items[0]) ? items[0] : unknown(UnknownKind::kAny);
      if (*number < 0 || *number >= size) {
        fail(Kind::index_out_of_range, span, "expected an index from 0 to {}, found {}", size - 1, *number);
      }
      return items[*number];
    }
    if (auto* native = object.as<ObjectPtr>(); native && range) {
      if (auto part = (*native)->slice(*this, *range, span)) return *part;
    }
  }
  fail(Kind::not_indexable, expr.span, "{}", describe(object));
}

}  // namespace mtf
