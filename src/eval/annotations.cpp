#include "eval/annotations.h"

#include <algorithm>

#include "eval/binding.h"
#include "eval/evaluator.h"
#include "eval/possible_values.h"
#include "graph/layouts.h"
#include "support/overloaded.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

const Name kRest("..");

[[noreturn]] void not_what_is_asked(const HostValue& value, Span span, std::string_view expected, const Annotated& what,
                                    Span asked, std::string help) {
  fail(Diagnostic(Kind::type_mismatch, span,
                  fmt::format("expected {} for {}, found {}", expected, what.text(), describe(value)))
           .related(asked, "asked for here")
           .help(std::move(help)));
}

/// The text of the required shape, with `..` at `rest`.
std::string text_of_shape(std::optional<ElementType> element, const Dims& dims, std::optional<size_t> rest) {
  std::string text = std::string(element ? name(*element) : std::string_view()) + "[";
  for (size_t i = 0; i <= dims.size(); ++i) {
    if (rest && *rest == i) text += i == dims.size() && !dims.empty() ? ", .." : "..";
    if (i == dims.size()) break;
    if (i > 0 || (rest && *rest == i)) text += ", ";
    text += to_string(dims[i]);
  }
  return text + "]";
}

}  // namespace

std::string Annotated::text() const {
  switch (kind) {
    case Kind::kName: return fmt::format("`{}`", name.text());
    case Kind::kParameter: return fmt::format("`{}` of `{}`", name.text(), function.text());
    case Kind::kResult: return fmt::format("the result of `{}`", name.text());
  }
  return {};
}

std::optional<Dims> Annotations::dims_of(const ast::ShapeAnnotation& shape, const ScopePtr& scope,
                                         std::optional<size_t>* rest) {
  Dims dims;
  bool all_known = true;
  for (const ast::ShapeItem& item : shape.items) {
    if (item.is_rest()) {
      if (rest) {
        *rest = dims.size();
        continue;
      }
      auto found = scope->find(kRest);
      if (!found.binding) fail(Kind::unknown_name, item.span, "no argument of this function has `..` in its shape");
      all_known = all_known && found.binding->value.is<ListPtr>();
      if (found.binding->value.is<ListPtr>()) {
        for (const Dim& dim : Conversions::to_dims(found.binding->value, item.span)) dims.push_back(dim);
      }
      continue;
    }
    HostValue value = evaluator_.evaluate(*item.dim, scope);
    if (value.is_poison() || has_unknown(value)) {
      all_known = false;
    } else if (value.is<ListPtr>()) {
      for (const Dim& dim : Conversions::to_dims(value, item.span)) dims.push_back(dim);
    } else {
      dims.push_back(Conversions::to_dim(value, item.span));
    }
  }
  refuse_twice(dims, shape.span);
  return all_known ? std::optional(dims) : std::nullopt;
}

HostValue Annotations::check(const ast::Annotation& annotation, HostValue value, Span span, const ScopePtr& scope,
                             const Annotated& what, Span declared) {
  const Span asked = declared.is_known() ? declared : std::visit([](const auto& a) { return a.span; }, annotation);
  return std::visit(
      Overloaded{
          [&](const ast::WordAnnotation& word) { return check_word(word, std::move(value), span, what, asked); },
          [&](const ast::ShapeAnnotation& shape) {
            return check_shape(shape, std::move(value), span, scope, what, declared, asked);
          },
      },
      annotation);
}

HostValue Annotations::check_word(const ast::WordAnnotation& annotation, HostValue value, Span span,
                                  const Annotated& what, Span asked) {
  const syntax::ParameterKind kind = syntax::kind_of(annotation);
  if (!become(kind, value))
    not_what_is_asked(value, span, text_of(kind), what, asked, value.is<ModelClassPtr>() ? "call it to make one" : "");
  return value;
}

HostValue Annotations::check_shape(const ast::ShapeAnnotation& shape, HostValue value, Span span, const ScopePtr& scope,
                                   const Annotated& what, Span declared, Span asked) {
  std::optional<ElementType> element;
  if (shape.element_type) element = parse_element_type(shape.element_type->name.text());
  std::optional<size_t> rest;
  const std::optional<Dims> asked_dims = dims_of(shape, scope, &rest);
  const bool is_number_of_open_type = has_open_type(value) && !element;
  if (!asked_dims || is_open(value) || is_number_of_open_type) {
    // A value of unknown shape fits any shape. Only the run knows the dims of `..` then.
    if (rest && declared.is_known() && !scope->find_own(kRest))
      scope->bindings.push_back({kRest, unknown(UnknownKind::kAny), span});
    return is_open(value) || is_number_of_open_type ? unknown(UnknownKind::kTensor) : value;
  }
  const Dims& dims = *asked_dims;
  auto mismatch = [&](std::string help = {}) {
    not_what_is_asked(value, span, text_of_shape(element, dims, rest), what, asked, std::move(help));
  };
  if (!tensor_of(value) && is_number(value) && dims.empty()) {
    evaluator_.builder.span = span;
    value =
        evaluator_.convert.number_tensor(value, element.value_or(evaluator_.convert.number_tensor(value).element()));
  }
  const graph::Value* tensor = tensor_of(value);
  if (!tensor) mismatch();
  Dims others;
  for (const Dim& dim : tensor->dims()) {
    if (!has_dim(dims, dim.name)) others.push_back(dim);
  }
  bool fits = !element || *element == tensor->element();
  std::string help;
  if (!fits) help = fmt::format("`cast(…, {})` converts it", name(*element));
  for (const Dim& dim : dims) {
    const int place = find_dim(tensor->dims(), dim.name);
    if (place >= 0 && tensor->dims()[place] == dim) continue;
    fits = false;
    if (help.empty()) {
      help = place < 0 ? fmt::format("it has no dimension `{}`", dim.name.text())
                       : fmt::format("its `{}` has {}, not {}", dim.name.text(), tensor->dims()[place].size, dim.size);
    }
  }
  if (!rest && !others.empty()) {
    fits = false;
    if (help.empty()) help = fmt::format("it has a dimension `{}` too", others[0].name.text());
  }
  if (!fits) mismatch(help);
  if (rest) {
    // An argument binds the function's own `..`. A result must match the `..` that the arguments bound.
    Binding* fixed = declared.is_known() ? scope->find_own(kRest) : scope->find(kRest).binding;
    std::vector<HostValue> list;
    for (const Dim& dim : others) list.push_back(dim);
    if (!fixed) scope->bindings.push_back({kRest, make_list(std::move(list)), span});
    else if (fixed->value.is_unknown()) fixed->value = make_list(std::move(list));
    else if (fixed->value.is<ListPtr>()) {
      Dims first = Conversions::to_dims(fixed->value, span);
      if (!same_set(first, others)) {
        fail(Diagnostic(Kind::shape_mismatch, span,
                        fmt::format("expected `..` to be {} for {}, found {} in {}", to_string(first), what.text(),
                                    to_string(others), describe(value)))
                 .related(fixed->span, fmt::format("`..` is {} here", to_string(first)))
                 .related(asked, "asked for here"));
      }
    }
  }
  return value;
}

namespace {

// Suggests `einsum`: in other languages `x @ w` is a matrix product.
Help help_with_product(const TensorType& x, const HostValue& other) {
  const graph::Value* w = tensor_of(other);
  if (w == nullptr) return {};
  std::vector<std::string> kept;
  for (const Dim& dim : x.dims)
    if (!has_dim(w->dims(), dim.name)) kept.push_back(dim.name.str());
  for (const Dim& dim : w->dims())
    if (!has_dim(x.dims, dim.name)) kept.push_back(dim.name.str());
  return fmt::format("`@` lays a tensor out; a product is `einsum(x, w -> [{}])`", mtf::join(kept, ", "));
}

}  // namespace

std::shared_ptr<const graph::AskedLayout> asked_by(Evaluator& evaluator, const ast::LayoutRef& ref,
                                                   const TensorType& type, const ScopePtr& scope) {
  auto asked = std::make_shared<graph::AskedLayout>();
  if (auto* named = std::get_if<ast::ExprPtr>(&ref.layout)) {
    HostValue value = evaluator.evaluate(**named, scope);
    if (!value.is_known()) return nullptr;
    auto* layout = value.as<LayoutPtr>();
    if (!layout) {
      fail(Diagnostic(Kind::type_mismatch, (*named)->span, fmt::format("expected a layout, found {}", describe(value)))
               .help(help_with_product(type, value)));
    }
    asked->rules = **layout;
    return asked;
  }
  const auto& literal = std::get<ast::LayoutLiteral>(ref.layout);
  asked->keeps_others = literal.keep_others;
  Layout& rules = asked->rules;
  rules.span = literal.span;
  for (const ast::LayoutRule& rule : literal.rules) {
    HostValue value = evaluator.names.look_up(rule.dim.name, rule.dim.span, scope);
    if (!value.is_known()) continue;
    const Dim dim = Conversions::to_dim(value, rule.dim.span);
    if (!has_dim(type.dims, dim.name)) {
      std::vector<std::string> names;
      for (const Dim& other : type.dims) names.push_back(other.name.str());
      fail(Diagnostic(Kind::unknown_dim, rule.dim.span,
                      fmt::format("{} has no dimension `{}`", to_string(type), dim.name.text()))
               .help(mtf::did_you_mean(rule.dim.span, dim.name.text(), names)));
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
  if (!object.is_known()) return object;
  graph::Value value = convert.to_tensor(object, at.object->span);
  builder.span = expr.span;
  meshes.check(expr.span);
  return builder.laid_out(value, asked_by(*this, at.layout, value.type(), scope));
}

}  // namespace mtf::eval
