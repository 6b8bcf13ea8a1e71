// `x[…]`: of tensors by the names of their dims, of lists and data by position.
#include <limits>

#include "eval/evaluator.h"
#include "eval/limits.h"
#include "ops/shape.h"
#include "support/text.h"

namespace mtf {

HostValue Evaluator::index(const ast::Expr& expr, const ast::IndexExpr& index, const ScopePtr& scope) {
  const HostValue object = evaluate(*index.object, scope);
  std::vector<HostValue> values;
  for (const ast::Argument& argument : index.arguments) {
    values.push_back(evaluate(*argument.value, scope));
    if (values.back().is_poison()) return Poison{};
  }
  if (object.is_poison() || object.is_unknown()) return object;  // a part of an unknown string is one too
  if (tensor_of(object)) return index_tensor(expr, index, object, values, scope);
  if (index.arguments.size() == 1 && !index.arguments[0].label) {
    const Span span = index.arguments[0].value->span;
    if (auto* list = object.as<ListPtr>()) return index_list(**list, values[0], span);
    if (auto* text = object.as<Text>()) return index_text(**text, values[0], span);
    auto* range = values[0].as<Range>();
    if (auto* native = object.as<ObjectPtr>(); native && range) {
      if (auto part = (*native)->slice(*this, *range, span)) return *part;
    }
  }
  fail(Kind::not_indexable, expr.span, "{}", describe(object));
}

HostValue Evaluator::index_list(const List& list, const HostValue& at, Span span) {
  const auto& items = list.items;
  const auto size = static_cast<int64_t>(items.size());
  if (auto* range = at.as<Range>()) {
    if (!range->known) return unknown(UnknownKind::kAny);
    const int64_t first = range->first, last = range->open_last ? size : range->last;
    if (first < 0 || last > size || first > last) fail(Kind::index_out_of_range, span, "expected a range within 0..{}, found {}..{}", size, first, last);
    findings.count_steps(span, steps_of_copying(static_cast<size_t>(last - first)));
    return make_list(std::vector<HostValue>(items.begin() + first, items.begin() + last));
  }
  const std::optional<int64_t> number = convert.to_int(at, span, "an index");
  if (!number) {
    // Any of them: one stands for all if they are tensors, or nobody knows what they are.
    const bool alike = !items.empty() && (items[0].is_unknown() || tensor_of(items[0]));
    return alike ? items[0] : unknown(UnknownKind::kAny);
  }
  if (*number < 0 || *number >= size) fail(Kind::index_out_of_range, span, "expected an index from 0 to {}, found {}", size - 1, *number);
  return items[*number];
}

HostValue Evaluator::index_text(const std::string& text, const HostValue& at, Span span) {
  // Where each character begins, and the end.
  std::vector<size_t> begins;
  for (size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) begins.push_back(i);
  const auto size = static_cast<int64_t>(begins.size());
  begins.push_back(text.size());
  if (auto* range = at.as<Range>()) {
    if (!range->known) return unknown(UnknownKind::kString);
    const int64_t first = range->first, last = range->open_last ? size : range->last;
    if (first < 0 || last > size || first > last) fail(Kind::index_out_of_range, span, "expected a range within 0..{}, found {}..{}", size, first, last);
    return make_text(text.substr(begins[first], begins[last] - begins[first]));
  }
  const std::optional<int64_t> number = convert.to_int(at, span, "an index");
  if (!number) return unknown(UnknownKind::kString);
  if (*number < 0 || *number >= size) fail(Kind::index_out_of_range, span, "expected an index from 0 to {}, found {}", size - 1, *number);
  return make_text(text.substr(begins[*number], begins[*number + 1] - begins[*number]));
}

HostValue Evaluator::index_tensor(const ast::Expr& expr, const ast::IndexExpr& index, const HostValue& object, const std::vector<HostValue>& values,
                                  const ScopePtr& scope) {
  Value result = convert.to_tensor(object, index.object->span);
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
    const Dim dim = convert.to_dim(named, argument.label->span);
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
    auto number = convert.to_int(values[i], span, "an index");
    const int place = find_dim(result.dims(), name);
    result = index_dim(builder, result, place, number ? static_cast<double>(*number) : std::numeric_limits<double>::quiet_NaN(), span);
  }
  return result;
}

}  // namespace mtf
