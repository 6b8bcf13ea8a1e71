// `x[…]`: tensors are indexed by the names of their dims; lists and data by position.
#include <algorithm>
#include <limits>

#include "eval/doubtful.h"
#include "eval/evaluator.h"
#include "eval/limits.h"
#include "ops/shape.h"
#include "support/edit.h"
#include "support/text.h"

namespace mtf::eval {

namespace {

/// True if evaluating the expression cannot assign a name.
bool only_reads(const ast::Expr& expr) {
  auto* binary = expr.as<ast::BinaryExpr>();
  return expr.as<ast::NameExpr>() || expr.as<ast::IntExpr>() ||
         (binary && only_reads(*binary->left) && only_reads(*binary->right));
}

}  // namespace

HostValue Evaluator::index(const ast::Expr& expr, const ast::IndexExpr& index, const ScopePtr& scope) {
  std::vector<HostValue> values;
  auto* name = index.object->as<ast::NameExpr>();
  const ast::Argument& first = index.arguments[0];
  if (name && index.arguments.size() == 1 && !first.label && only_reads(*first.value)) {
    // An item of a list by its number, quickly: the name alone holds the list.
    const Binding* const binding = scope->find(name->name, name->slot).binding;
    if (auto* list = binding && !binding->is_aside ? binding->value.as<ListPtr>() : nullptr) {
      HostValue at = evaluate(*first.value, scope);
      const std::vector<HostValue>& items = (*list)->items;
      auto* number = at.as<int64_t>();
      if (number && *number >= 0 && *number < static_cast<int64_t>(items.size()) && !spans_) return items[*number];
      if (at.is_poison()) return at;
      values.push_back(std::move(at));
    }
  }
  const HostValue object = evaluate(*index.object, scope);
  for (size_t i = values.size(); i < index.arguments.size(); ++i) {
    values.push_back(evaluate(*index.arguments[i].value, scope));
    if (values.back().is_poison()) return Poison{};
  }
  if (!object.is_known()) return unknown_kind(object) == UnknownKind::kString ? object : part_of_unknown(object);
  if (tensor_of(object)) return index_tensor(expr, index, object, values, scope);
  if (index.arguments.size() == 1 && !index.arguments[0].label) {
    const Span span = index.arguments[0].value->span;
    if (auto* list = object.as<ListPtr>()) {
      const auto& items = (*list)->items;
      const bool is_shape = !items.empty() && items.front().is<Dim>() && values[0].is<Dim>();
      if (is_shape && values[0].as<Dim>()->size >= static_cast<int64_t>(items.size())) {
        fail(Diagnostic(Kind::index_out_of_range, span,
                        fmt::format("expected a place in the list, found {}", describe(values[0])))
                 .help(mtf::help_with("the size of a dim is that of every tensor that has it",
                                      {{expr.span, fmt::format("size({})", span.text())}})));
      }
      return index_list(**list, values[0], span);
    }
    if (auto* text = object.as<Text>()) return index_text(**text, values[0], span);
    auto* range = values[0].as<Range>();
    if (auto* native = object.as<ObjectPtr>(); native && range) {
      if (auto part = (*native)->slice(*range, span)) return *part;
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
    if (first < 0 || last > size || first > last)
      fail(Kind::index_out_of_range, span, "expected a range within 0..{}, found {}..{}", size, first, last);
    findings.count_steps(span, steps_of_copying(static_cast<size_t>(last - first)));
    return make_list(std::vector<HostValue>(items.begin() + first, items.begin() + last));
  }
  const std::optional<int64_t> number = convert.to_int(at, span, "an index");
  if (!number) {
    findings.count_steps(span, steps_of_copying(items.size()));
    return domain.merge_all(items);
  }
  if (*number < 0 || *number >= size)
    fail(Kind::index_out_of_range, span, "expected an index from 0 to {}, found {}", size - 1, *number);
  return items[*number];
}

HostValue Evaluator::index_text(const std::string& text, const HostValue& at, Span span) {
  // The start of each character, and the end of the text.
  std::vector<size_t> begins;
  for (size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) begins.push_back(i);
  const auto size = static_cast<int64_t>(begins.size());
  begins.push_back(text.size());
  if (auto* range = at.as<Range>()) {
    if (!range->known) return unknown(UnknownKind::kString);
    const int64_t first = range->first, last = range->open_last ? size : range->last;
    if (first < 0 || last > size || first > last)
      fail(Kind::index_out_of_range, span, "expected a range within 0..{}, found {}..{}", size, first, last);
    return make_text(text.substr(begins[first], begins[last] - begins[first]));
  }
  const std::optional<int64_t> number = convert.to_int(at, span, "an index");
  if (!number) return unknown(UnknownKind::kString);
  if (*number < 0 || *number >= size)
    fail(Kind::index_out_of_range, span, "expected an index from 0 to {}, found {}", size - 1, *number);
  return make_text(text.substr(begins[*number], begins[*number + 1] - begins[*number]));
}

namespace {

/// Rewrites `x[-1, 0..2]` with names of dims: an index without a name gets the next unnamed dim.
std::vector<Edit> index_by_names(const ast::IndexExpr& index, const Dims& dims, const std::vector<HostValue>& values) {
  std::vector<Name> named;
  for (const ast::Argument& argument : index.arguments)
    if (argument.label) named.push_back(argument.label->name);
  std::vector<Edit> edits;
  auto dim = dims.begin();
  for (size_t i = 0; i < index.arguments.size(); ++i) {
    const ast::Argument& argument = index.arguments[i];
    if (argument.label) continue;
    while (dim != dims.end() && std::find(named.begin(), named.end(), dim->name) != named.end()) ++dim;
    if (dim == dims.end()) return {};
    if (!values[i].is<int64_t>() && !values[i].is<Range>() && !is_number(values[i])) return {};
    const std::string name = (dim++)->name.str();
    const auto* number = values[i].as<int64_t>();
    const std::string text(argument.value->span.text());
    edits.emplace_back(argument.value->span,
                       name + ": " + (number && *number < 0 ? fmt::format("size({}) - {}", name, -*number) : text));
  }
  return edits;
}

/// Suggests an index with the name of a dim.
Help help_with_index(const ast::Expr& expr, const ast::IndexExpr& index, const graph::Value& object,
                     const std::vector<HostValue>& values) {
  const graph::Value* mask = values.size() == 1 ? tensor_of(values[0]) : nullptr;
  if (mask && mask->element() == ElementType::kBool) {
    const std::string condition(index.arguments[0].value->span.text());
    return mtf::help_with("a tensor keeps its dims, and what is not taken becomes 0",
                          {{expr.span, fmt::format("where({}, {}, 0)", condition, index.object->span.text())}});
  }
  if (mask)
    return help_with(
        "the rows of a table are found by",
        object.dims().empty()
            ? std::vector<Edit>()
            : std::vector<Edit>{
                  {expr.span, fmt::format("gather({}, {}, over: {})", index.object->span.text(),
                                          index.arguments[0].value->span.text(), object.dims()[0].name.text())}});
  return help_with("", index_by_names(index, object.dims(), values));
}

}  // namespace

HostValue Evaluator::index_tensor(const ast::Expr& expr, const ast::IndexExpr& index, const HostValue& object,
                                  const std::vector<HostValue>& values, const ScopePtr& scope) {
  graph::Value result = convert.to_tensor(object, index.object->span);
  meshes.check(expr.span);
  builder.span = expr.span;
  std::vector<std::pair<Name, size_t>> places;
  for (size_t i = 0; i < index.arguments.size(); ++i) {
    const ast::Argument& argument = index.arguments[i];
    if (!argument.label) {
      fail(Diagnostic(Kind::not_indexable, argument.span,
                      fmt::format("{} is indexed by the names of its dimensions", describe(object)))
               .help(help_with_index(expr, index, result, values)));
    }
    HostValue named = names.look_up(argument.label->name, argument.label->span, scope);
    if (const auto gives = undecided(named)) return *gives;
    const Dim dim = convert.to_dim(named, argument.label->span);
    const int place = find_dim(result.dims(), dim.name);
    if (place < 0) {
      std::vector<std::string> names;
      for (const Dim& other : result.dims()) names.push_back(other.name.str());
      fail(Diagnostic(Kind::unknown_dim, argument.label->span,
                      fmt::format("{} has no dimension `{}`", describe(object), dim.name.text()))
               .help(mtf::did_you_mean(argument.label->span, dim.name.text(), names)));
    }
    if (auto* range = values[i].as<Range>()) {
      if (!range->known) {
        doubts.uncounted(expr.span);
        return unknown(UnknownKind::kTensor);
      }
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
    if (number && *number < 0 && values[i].is<int64_t>()) {
      fail(Diagnostic(Kind::index_out_of_range, span,
                      fmt::format("expected a place of {}, found {}", to_string(result.dims()[place]), *number))
               .help(mtf::help_with("places are counted from the first",
                                    {{span, fmt::format("size({}) - {}", name.text(), -*number)}})));
    }
    result = index_dim(builder, result, place,
                       number ? static_cast<double>(*number) : std::numeric_limits<double>::quiet_NaN(), span);
  }
  return result;
}

}  // namespace mtf::eval
