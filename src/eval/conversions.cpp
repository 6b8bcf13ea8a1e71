// From values of the host to what a place asks for.
#include <cmath>

#include "eval/evaluator.h"
#include "support/text.h"

namespace mtf {

Value Evaluator::number_tensor(const HostValue& value) {
  const UnknownKind kind = unknown_kind(value);
  if (kind == UnknownKind::kBool) return number_tensor(value, ElementType::kBool);
  const bool whole = kind == UnknownKind::kInt || value.is<Dim>();
  return number_tensor(value, whole ? ElementType::kI32 : ElementType::kF32);
}

Value Evaluator::number_tensor(const HostValue& value, ElementType element) {
  return builder.number(number_of(value).value_or(1), element);
}

Value Evaluator::to_tensor(const HostValue& value, Span span) {
  if (const Value* tensor = tensor_of(value)) {
    return *tensor;
  }
  if (number_of(value) || is_number(value)) {
    builder.span = span;
    return number_tensor(value);
  }
  fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected a tensor, found {}", describe(value)))
           .help(value.is<ListPtr>() ? "`tensor([…], [dims])` makes a tensor of numbers" : ""));
}

Dim Evaluator::to_dim(const HostValue& value, Span span) {
  if (auto* dim = value.as<Dim>()) return *dim;
  Diagnostic diagnostic(Kind::not_a_dim, span, fmt::format("expected a dim, found {}", describe(value)));
  if (auto* size = value.as<int64_t>()) diagnostic.help(fmt::format("`dim name = {}` declares one", *size));
  fail(std::move(diagnostic));
}

Dims Evaluator::to_dims(const HostValue& value, Span span) {
  auto* list = value.as<ListPtr>();
  if (!list) {
    fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected a list of dims, found {}", describe(value)))
             .help(value.is<Dim>() ? "write it in brackets: `[…]`" : ""));
  }
  Dims dims;
  dims.reserve((*list)->items.size());
  for (const HostValue& item : (*list)->items) {
    if (auto* inner = item.as<ListPtr>()) {  // a list of dims stands for its dims
      for (const HostValue& dim : (*inner)->items) dims.push_back(to_dim(dim, span));
    } else {
      dims.push_back(to_dim(item, span));
    }
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (find_dim(dims, dims[i].name) != static_cast<int>(i)) {
      fail(Kind::dim_twice, span, "`{}` stands twice in {}", dims[i].name.text(), to_string(dims));
    }
  }
  return dims;
}

std::optional<int64_t> Evaluator::to_int(const HostValue& value, Span span, std::string_view what) {
  if (auto* i = value.as<int64_t>()) return *i;
  if (auto* dim = value.as<Dim>()) return dim->size;
  if (auto* u = value.as<Unknown>(); u && u->kind != UnknownKind::kString && u->kind != UnknownKind::kBool) return std::nullopt;
  if (const Value* tensor = tensor_of(value); tensor && tensor->dims().empty() && tensor->element() <= ElementType::kI32) {
    HostValue number = read_number(*tensor, span);
    if (auto* i = number.as<int64_t>()) return *i;
    return std::nullopt;
  }
  fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected an int for {}, found {}", what, describe(value)))
           .help(value.is<double>() ? "`//` divides integers" : ""));
}

std::optional<double> Evaluator::to_number(const HostValue& value, Span span, std::string_view what) {
  if (auto number = number_of(value); number && !value.is<bool>()) return number;
  if (auto* u = value.as<Unknown>(); u && u->kind != UnknownKind::kString) return std::nullopt;
  fail(Kind::type_mismatch, span, "expected a number for {}, found {}", what, describe(value));
}

std::optional<bool> Evaluator::to_condition(const HostValue& value, Span span) {
  if (auto* b = value.as<bool>()) return *b;
  if (value.is_poison()) return std::nullopt;
  if (auto* u = value.as<Unknown>()) {
    if (u->kind == UnknownKind::kAny || u->kind == UnknownKind::kBool) return std::nullopt;
  } else if (const Value* tensor = tensor_of(value)) {
    if (tensor->dims().empty()) {
      if (tensor->element() != ElementType::kBool) {
        fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected a bool, found {}", to_string(tensor->type()))).help("compare it: `x > 0`"));
      }
      HostValue number = read_number(*tensor, span);
      if (auto* b = number.as<bool>()) return *b;
      return std::nullopt;
    }
    fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected a bool, found {}", to_string(tensor->type())))
             .help(tensor->element() == ElementType::kBool ? "`all(…)` or `any(…)` makes one of it" : "compare it, and take `all(…)` or `any(…)`"));
  }
  fail(Kind::type_mismatch, span, "expected a bool, found {}", describe(value));
}

static HostValue number_of_host(double number, ElementType element) {
  if (element == ElementType::kBool) return number != 0;
  if (element == ElementType::kI32) return static_cast<int64_t>(number);
  return number;
}

HostValue Evaluator::read_number(const Value& value, Span span) {
  const ElementType element = value.element();
  if (abstract()) {
    if (engine_) cut({value}, span);
    if (engine_ && settings.reads && next_read_ < settings.reads->size()) return number_of_host((*settings.reads)[next_read_++], element);
    return unknown(element == ElementType::kBool  ? UnknownKind::kBool
                   : element == ElementType::kI32 ? UnknownKind::kInt
                                                  : UnknownKind::kFloat);
  }
  const double number = fetch(value, span).number(0);
  if (settings.reads) settings.reads->push_back(number);
  return number_of_host(number, element);
}

HostTensor Evaluator::fetch(const Value& value, Span span) {
  cut({value}, span);
  return engine_->fetch(value);
}

}  // namespace mtf
