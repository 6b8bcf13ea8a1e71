#include "eval/conversions.h"

#include "eval/cuts.h"
#include "eval/possible_values.h"
#include "ops/builder.h"
#include "support/text.h"

namespace mtf::eval {

void refuse_twice(const Dims& dims, Span span) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (find_dim(dims, dims[i].name) == static_cast<int>(i)) continue;
    const std::string name = dims[i].name.str();
    std::vector<std::string> names;
    for (size_t k = 0; k < dims.size(); ++k) names.push_back(dims[k].name.str() + (k == i ? "2" : ""));
    fail(Diagnostic(Kind::dim_twice, span, fmt::format("{} stands twice in {}", code(name), to_string(dims)))
             .help(fmt::format("declare another dim of the same size, `dim {}2 = {}`, and write `[{}]`", name, name,
                               mtf::join(names, ", "))));
  }
}

graph::Value Conversions::number_tensor(const HostValue& value) const {
  const UnknownKind kind = unknown_kind(value);
  if (kind == UnknownKind::kBool) return number_tensor(value, ElementType::kBool);
  const bool whole = kind == UnknownKind::kInt || value.is<Dim>();
  return number_tensor(value, whole ? ElementType::kI32 : ElementType::kF32);
}

graph::Value Conversions::number_tensor(const HostValue& value, ElementType element) const {
  return builder_.number(number_of(value).value_or(1), element);
}

graph::Value Conversions::to_tensor(const HostValue& value, Span span) const {
  if (const graph::Value* tensor = tensor_of(value)) { return *tensor; }
  if (number_of(value) || is_number(value)) {
    builder_.span = span;
    return number_tensor(value);
  }
  fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected a tensor, found {}", describe(value)))
           .help(value.is<ListPtr>() ? "`tensor([…], [dims])` makes a tensor of numbers" : ""));
}

Dim Conversions::to_dim(const HostValue& value, Span span) {
  if (auto* dim = value.as<Dim>()) return *dim;
  Diagnostic diagnostic(Kind::not_a_dim, span, fmt::format("expected a dim, found {}", describe(value)));
  if (auto* size = value.as<int64_t>())
    diagnostic.help(fmt::format("`dim name = {0}` declares one; `0..{0}` counts", *size));
  fail(std::move(diagnostic));
}

Dims Conversions::to_dims(const HostValue& value, Span span) {
  auto* list = value.as<ListPtr>();
  if (!list) {
    fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected a list of dims, found {}", describe(value)))
             .help(value.is<Dim>() ? "write it in brackets: `[…]`" : ""));
  }
  Dims dims;
  dims.reserve((*list)->items.size());
  for (const HostValue& item : (*list)->items) {
    if (auto* inner = item.as<ListPtr>()) {  // a nested list is replaced by its dims
      for (const HostValue& dim : (*inner)->items) dims.push_back(to_dim(dim, span));
    } else {
      dims.push_back(to_dim(item, span));
    }
  }
  refuse_twice(dims, span);
  return dims;
}

HostValue Conversions::on_host(const HostValue& value, Span span) const {
  const graph::Value* const tensor = tensor_of(value);
  return tensor && tensor->dims().empty() ? cuts_.read_number(*tensor, span) : value;
}

std::optional<int64_t> Conversions::to_int(const HostValue& value, Span span, std::string_view what) const {
  if (auto* i = value.as<int64_t>()) return *i;
  if (auto* dim = value.as<Dim>()) return dim->size;
  if (auto* u = value.as<Unknown>(); u && u->kind != UnknownKind::kString && u->kind != UnknownKind::kBool)
    return std::nullopt;
  if (const graph::Value* tensor = tensor_of(value);
      tensor && tensor->dims().empty() && tensor->element() <= ElementType::kI32) {
    HostValue number = cuts_.read_number(*tensor, span);
    if (auto* i = number.as<int64_t>()) return *i;
    return std::nullopt;
  }
  fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected an int for {}, found {}", what, describe(value)))
           .help(value.is<double>() ? "`//` divides integers" : ""));
}

std::optional<bool> Conversions::read_condition(const HostValue& value, Span span) const {
  if (value.is_poison()) return std::nullopt;
  if (auto* u = value.as<Unknown>()) {
    if (is_open(value) || u->kind == UnknownKind::kBool) return std::nullopt;
  } else if (const graph::Value* tensor = tensor_of(value)) {
    if (tensor->dims().empty()) {
      if (tensor->element() != ElementType::kBool) {
        fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected a bool, found {}", to_string(tensor->type())))
                 .help("compare it: `x > 0`"));
      }
      HostValue number = cuts_.read_number(*tensor, span);
      if (auto* b = number.as<bool>()) return *b;
      return std::nullopt;
    }
    fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected a bool, found {}", to_string(tensor->type())))
             .help(tensor->element() == ElementType::kBool ? "`all(…)` or `any(…)` makes one of it"
                                                           : "compare it, and take `all(…)` or `any(…)`"));
  }
  fail(Kind::type_mismatch, span, "expected a bool, found {}", describe(value));
}

}  // namespace mtf::eval
