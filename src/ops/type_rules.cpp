#include "ops/type_rules.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "graph/op.h"
#include "ops/spaces.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::ops {
namespace {

constexpr std::string_view kPositions[] = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"};

std::string position(size_t i) {
  return i < std::size(kPositions) ? std::string(kPositions[i]) : fmt::format("{}th", i + 1);
}

std::vector<std::string> texts_of(const Dims& dims) {
  std::vector<std::string> names;
  for (const Dim& dim : dims) names.push_back(dim.name.str());
  return names;
}

/// The dims as a shape is written, `[a, b]`.
std::string shape_text(const Dims& dims) { return "[" + join(texts_of(dims), ", ") + "]"; }

}  // namespace

bool is_host_number(const graph::Value& value) { return value.operation().op->role == graph::Role::kNumber; }

ElementType common_element(const Builder& builder, const graph::Values& operands) {
  ElementType element = ElementType::kBool;
  bool any_tensor = false, any_bf16 = false;
  for (const graph::Value& operand : operands) {
    if (is_host_number(operand)) continue;
    any_tensor = true;
    any_bf16 = any_bf16 || operand.element() == ElementType::kBf16;
    element = promote(element, operand.element());
  }
  for (const graph::Value& operand : operands) {
    if (!is_host_number(operand)) continue;
    if (!any_tensor) element = promote(element, operand.element());
    else if (is_float(operand.element()) && !is_float(element)) element = ElementType::kF32;
  }
  return any_bf16 ? used_element(builder, element) : element;
}

ElementType multiplied_element(const Builder& builder, ElementType element) {
  return builder.context.precision != graph::Precision::kF32 && element == ElementType::kF32 ? ElementType::kBf16
                                                                                             : element;
}

ElementType used_element(const Builder& builder, ElementType element) {
  return builder.context.precision == graph::Precision::kMixed ? multiplied_element(builder, element) : element;
}

ElementType summed_element(const Builder& builder, ElementType element) {
  return builder.context.precision == graph::Precision::kMixed && element == ElementType::kBf16 ? ElementType::kF32
                                                                                                : element;
}

bool are_one_when_mixed(const Builder& builder, ElementType a, ElementType b) {
  return builder.context.precision == graph::Precision::kMixed && used_element(builder, a) == ElementType::kBf16 &&
         used_element(builder, b) == ElementType::kBf16;
}

graph::Value as_element(Builder& builder, const graph::Value& value, ElementType element, Span span) {
  if (!is_host_number(value)) return builder.cast(value, element);
  const double number = value.operation().inputs[0];
  if (element == ElementType::kI32 && (number < -2147483648.0 || number > 2147483647.0))
    fail(Kind::bad_value, span, "{} does not fit in i32, the type of the tensor that it meets",
         static_cast<int64_t>(number));
  return value.element() == element ? value : builder.operand(number, element);
}

graph::Values as_element(Builder& builder, const graph::Values& operands, ElementType element, Span span) {
  graph::Values cast;
  for (const graph::Value& operand : operands) cast.push_back(as_element(builder, operand, element, span));
  return cast;
}

ElementType number_element(ElementType element) { return promote(element, ElementType::kI32); }
ElementType added_element(ElementType element) { return element == ElementType::kI32 ? ElementType::kF64 : element; }
graph::Value as_summed(Builder& builder, const graph::Value& sum, ElementType element) {
  return element == ElementType::kI32 ? builder.add(kSumAsI32, {sum}) : sum;
}
ElementType real_element(ElementType element) { return is_float(element) ? element : ElementType::kF32; }

namespace {

/// True if each name has one size in all operands. Takes linear time.
bool sizes_agree(const graph::Values& operands) {
  std::unordered_map<Name, int64_t> sizes;
  for (const graph::Value& operand : operands)
    for (const Dim& dim : operand.dims())
      if (sizes.try_emplace(dim.name, dim.size).first->second != dim.size) return false;
  return true;
}

}  // namespace

void check_sizes(const Call& call, const graph::Values& operands) {
  if (operands.size() > 2 && sizes_agree(operands)) return;
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = i + 1; j < operands.size(); ++j)
      for (const Dim& dim : operands[i].dims()) {
        const int other = find_dim(operands[j].dims(), dim.name);
        if (other < 0 || operands[j].dims()[other].size == dim.size) continue;
        const std::string name = dim.name.str();
        fail(Diagnostic(
                 Kind::size_conflict, call.span,
                 fmt::format("`{}` is {} in the {} operand, {}, and {} in the {}, {}", name, dim.size, position(i),
                             describe(operands[i]), operands[j].dims()[other].size, position(j), describe(operands[j])))
                 .help(fmt::format("if they are two dimensions, rename one: rename(x, {} -> {}2)", name, name)));
      }
}

void check_broadcast(const Call& call, const graph::Values& operands) {
  check_sizes(call, operands);
  std::vector<TensorType> types;
  for (const graph::Value& operand : operands) types.push_back(operand.type());
  const Dims all = broadcast_dims(types);
  for (const graph::Value& operand : operands)
    if (operand.dims().size() == all.size()) return;
  // Find two operands, neither of which has all dims of the other, for the message.
  size_t i = 0;
  size_t j = 0;
  for (size_t a = 0; a < operands.size() && j == 0; ++a)
    for (size_t b = a + 1; b < operands.size() && j == 0; ++b)
      if (!is_subset(operands[a].dims(), operands[b].dims()) && !is_subset(operands[b].dims(), operands[a].dims()))
        i = a, j = b;
  if (j == 0) j = 1;
  const Dims& first = operands[i].dims();
  const Dims& second = operands[j].dims();
  fail(Diagnostic(Kind::no_broadcast, call.span,
                  fmt::format("expected the dimensions of one operand to be among the other's; {} has {}, which {} "
                              "lacks, and {} the other way round",
                              describe(operands[i]), join_words(texts_of(remaining(first, second)), "and"),
                              describe(operands[j]), join_words(texts_of(remaining(second, first)), "and")))
           .help(fmt::format("to multiply them and sum, write einsum(x, y -> [{}…])",
                             first.empty() ? "" : first[0].name.str() + ", "))
           .help(fmt::format("to repeat one of them, write broadcast(x -> {})", shape_text(all))));
}

void check_element(const Call& call, std::string_view argument, ElementType expected, std::string_view help) {
  const graph::Value& value = call.tensor(argument);
  if (value.element() == expected) return;
  fail(Diagnostic(Kind::wrong_element_type, call.span_of(argument),
                  fmt::format("`{}` of {} takes {}, found {}", argument, call.signature.name.text(), name(expected),
                              describe(value)))
           .help(std::string(help)));
}

graph::Values tensor_arguments(const Call& call) {
  graph::Values values;
  for (const Argument& argument : call.arguments)
    values.insert(values.end(), argument.values.begin(), argument.values.end());
  return values;
}

Dims dims_over(const Call& call, std::string_view argument) {
  const graph::Value& x = call.tensor(argument);
  const Argument& over = call.argument("over");
  if (!over.given) return x.dims();
  for (size_t i = 0; i < over.dims.size(); ++i) {
    const Dim& dim = over.dims[i];
    if (!has_dim(x.dims(), dim.name))
      fail(Diagnostic(Kind::unknown_dim, over.span,
                      fmt::format("expected dimensions of {}, found `{}`", describe(x), dim.name.text()))
               .help(did_you_mean(over.span, dim.name.text(), texts_of(x.dims()))));
    if (find_dim(over.dims, dim.name) != static_cast<int>(i))
      fail(Kind::dim_twice, over.span, "`{}` stands twice in `over`", dim.name.text());
  }
  Dims dims;
  for (const Dim& dim : x.dims())
    if (has_dim(over.dims, dim.name)) dims.push_back(dim);
  return dims;
}

Dim dim_over(const Call& call, std::string_view argument) {
  const Dims dims = dims_over(call, argument);
  if (dims.size() != 1)
    fail(Diagnostic(
             Kind::missing_argument, call.span,
             fmt::format("{} runs over one dimension, and {} has {}", call.signature.name.text(),
                         describe(call.tensor(argument)), dims.empty() ? "none" : join_words(texts_of(dims), "and")))
             .help(dims.empty() ? ""
                                : fmt::format("say which: {}(x, over: {})", call.signature.name.text(),
                                              dims.back().name.text())));
  return dims[0];
}

void check_arrow(const Call& call, const graph::Values& operands) {
  if (!call.arrow) return;
  std::vector<std::string> candidates;
  for (const graph::Value& operand : operands)
    for (const std::string& name : texts_of(operand.dims())) candidates.push_back(name);
  for (size_t i = 0; i < call.arrow->size(); ++i) {
    const Name name = (*call.arrow)[i].name;
    if (find_dim(*call.arrow, name) != static_cast<int>(i))
      fail(Kind::dim_twice, call.arrow_span, "`{}` stands twice in the result {}", name.text(),
           shape_text(*call.arrow));
    if (std::any_of(operands.begin(), operands.end(), [&](const graph::Value& v) { return has_dim(v.dims(), name); }))
      continue;
    std::vector<std::string> found;
    for (const graph::Value& operand : operands) found.push_back(describe(operand));
    fail(Diagnostic(Kind::dim_not_in_operands, call.arrow_span,
                    fmt::format("expected dimensions of {}, found `{}`", join_words(found, "and"), name.text()))
             .help(did_you_mean(name.text(), candidates)));
  }
}

std::string describe(const graph::Value& value) {
  if (is_host_number(value)) return "a number";
  const Name name = value.node->name;
  const std::string type = to_string(value.type());
  return name.empty() ? type : fmt::format("`{}`: {}", name.text(), type);
}

}  // namespace mtf::ops
