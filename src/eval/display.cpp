#include "eval/display.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "eval/limits.h"
#include "support/edit.h"
#include "support/own_names.h"
#include "support/printable.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

/// In a tensor of more than kMaxShown elements, a dim with more elements than this is shown by its first and last
/// three.
constexpr int64_t kMaxShown = 1000;

/// Returns the number of decimals of a format such as `.4f`, with a single digit; -1 for any other format.
int decimals_of(std::string_view format) {
  const bool is_fixed = format.size() == 3 && format[0] == '.' && format[1] >= '0' && format[1] <= '9';
  return is_fixed && format[2] == 'f' ? format[1] - '0' : -1;
}

/// Gives the same text as the format library, in a sixth of its time.
std::string with_decimals(double number, int decimals) {
  std::array<char, 400> text;  // the largest has 309 digits before the point
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed, decimals).ptr;
  return {text.data(), end};
}

/// Appends the `text` of each number, in the brackets of the dims from `depth` on.
template <typename Text>
void append(std::string& out, const plan::HostTensor& tensor, size_t depth, int64_t& at, bool shorten,
            const Text& text) {
  const Dims& dims = tensor.type.dims;
  if (depth == dims.size()) {
    out += text(tensor.number(at++));
    return;
  }
  int64_t inner = 1;
  for (size_t d = depth + 1; d < dims.size(); ++d) inner *= dims[d].size;
  out += '[';
  for (int64_t i = 0; i < dims[depth].size; ++i) {
    if (i > 0) out += ", ";
    if (shorten && dims[depth].size > 7 && i == 3) {
      out += "…";
      const int64_t skipped = dims[depth].size - 6;
      at += skipped * inner;
      i += skipped - 1;
      continue;
    }
    append(out, tensor, depth + 1, at, shorten, text);
  }
  out += ']';
}

template <typename Text>
std::string tensor_text(const plan::HostTensor& tensor, const Text& text) {
  std::string out;
  int64_t at = 0;
  append(out, tensor, 0, at, size_of(tensor.type.dims) > kMaxShown, text);
  return out;
}
std::string tensor_text(const plan::HostTensor& tensor) {
  return tensor_text(tensor, [&](double number) { return number_text(number, tensor.type.element); });
}

/// An element of a tensor as a value of the host.
HostValue element_value(double number, ElementType element) {
  if (element == ElementType::kBool) return number != 0;
  if (element == ElementType::kI32) return static_cast<int64_t>(number);
  return number;
}

}  // namespace

std::string number_text(double number, ElementType element, int digits) {
  if (element == ElementType::kBool) return number != 0 ? "true" : "false";
  if (element == ElementType::kI32) return fmt::format("{}", static_cast<int64_t>(number));
  if (number == 0) return "0";
  return fmt::format("{:.{}g}", without_sign_of_nan(number), digits);
}

std::string Display::list_text(const ListPtr& value, const std::function<std::string(const HostValue&)>& item_text) {
  std::string out = value->tuple ? "(" : "[";
  std::vector<std::pair<const List*, size_t>> open = {{value.get(), 0}};
  while (!open.empty()) {
    check_length(out.size(), "a text", builder_.span);
    auto& [list, next] = open.back();
    if (next == list->items.size()) {
      out += list->tuple ? ')' : ']';
      open.pop_back();
      continue;
    }
    const HostValue& item = list->items[next];
    if (next++ > 0) out += ", ";
    if (auto* inner = item.as<ListPtr>()) {
      out += (*inner)->tuple ? '(' : '[';
      open.emplace_back(inner->get(), 0);
    } else {
      out += item_text(item);
    }
  }
  return out;
}

std::string Display::text(const HostValue& value, bool inside) {
  return inside || value.is<Text>() ? unsettled_text(value, inside) : settled(unsettled_text(value, inside));
}

std::string Display::unsettled_text(const HostValue& value, bool inside) {
  if (const graph::Value* tensor = tensor_of(value)) {
    if (!domain_.is_abstract()) return tensor_text(cuts_.fetch(*tensor, builder_.span));
    cuts_.cut({*tensor}, builder_.span);
    return "";
  }
  if (auto* i = value.as<int64_t>()) return fmt::format_int(*i).str();
  if (auto* d = value.as<double>()) return number_text(*d, ElementType::kF64);
  if (auto* b = value.as<bool>()) return *b ? "true" : "false";
  if (auto* text = value.as<Text>()) return inside ? printable(quote(**text)) : **text;
  if (auto* dim = value.as<Dim>()) return to_string(*dim);
  if (auto* element = value.as<ElementType>()) return std::string(name(*element));
  if (auto* range = value.as<Range>()) return fmt::format("{}..{}", range->first, range->last);
  if (auto* list = value.as<ListPtr>())
    return list_text(*list, [this](const HostValue& item) { return text(item, true); });
  if (auto* object = value.as<ObjectPtr>()) {
    std::string out = (*object)->print();
    while (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
  }
  if (auto* mesh = value.as<MeshPtr>()) return to_string(**mesh);
  if (auto* layout = value.as<LayoutPtr>()) return to_string(**layout);
  return describe(value);
}

std::string Display::formatted(const HostValue& value, const std::string& format, Span span, Span format_span) {
  const char last = format.empty() ? ' ' : format.back();
  if (auto* list = value.as<ListPtr>(); list && std::string_view("aAdeEfFgG").find(last) != std::string_view::npos) {
    return list_text(*list, [&](const HostValue& item) { return formatted(item, format, span, format_span); });
  }
  HostValue number = value;
  if (const graph::Value* tensor = tensor_of(value)) {
    if (!tensor->dims().empty()) {
      const auto text = [&](double each) {
        return formatted(element_value(each, tensor->element()), format, span, format_span);
      };
      if (!domain_.is_abstract()) return tensor_text(cuts_.fetch(*tensor, span), text);
      cuts_.cut({*tensor}, span);
      return text(2);  // a whole number accepts all formats of its type
    }
    number = cuts_.read_number(*tensor, span);
  }
  // In a check a number of the right kind stands for an unknown number.
  if (number.is_unknown()) {
    switch (unknown_kind(number)) {
      case UnknownKind::kInt: number = int64_t{1}; break;
      case UnknownKind::kBool: number = true; break;
      case UnknownKind::kString: number = make_text("x"); break;
      case UnknownKind::kFloat: number = 2.0; break;  // a whole number accepts all formats of floats
      default: return "";
    }
  }
  if (auto* d = number.as<double>(); d && std::isfinite(*d))
    if (const int decimals = decimals_of(format); decimals >= 0) return with_decimals(*d, decimals);
  const std::string pattern = "{:" + format + "}";
  const bool wants_float = std::string_view("aAeEfFgG").find(last) != std::string_view::npos;
  try {
    if (auto* dim = number.as<Dim>()) number = dim->size;
    if (auto* i = number.as<int64_t>()) {
      return wants_float ? fmt::format(fmt::runtime(pattern), static_cast<double>(*i))
                         : fmt::format(fmt::runtime(pattern), *i);
    }
    if (auto* d = number.as<double>()) {
      if (last == 'd' && *d == std::floor(*d)) return fmt::format(fmt::runtime(pattern), static_cast<int64_t>(*d));
      return fmt::format(fmt::runtime(pattern), without_sign_of_nan(*d));
    }
    if (auto* b = number.as<bool>()) return fmt::format(fmt::runtime(pattern), *b);
    return fmt::format(fmt::runtime(pattern), text(number));
  } catch (const fmt::format_error& error) {
    const bool is_float = number.is<double>() && last == 'd';
    const std::string fitting = is_float ? format.substr(0, format.size() - 1) + ".0f" : "";
    fail(Diagnostic(Kind::bad_format, format_span.is_known() ? format_span : span,
                    fmt::format("`{}` does not fit {}: {}", format, describe(value), error.what()))
             .help(is_float && format_span.is_known() ? mtf::help_with("`d` is of integers", {{format_span, fitting}})
                                                      : ""));
  }
}

}  // namespace mtf::eval
