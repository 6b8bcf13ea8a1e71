#include "eval/suggestions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "eval/binding.h"
#include "eval/scope.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

Span behind(Span span) {
  span.begin = span.end;
  return span;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' '; });
  return text;
}

/// Returns the name of a dim that is visible in the scope under its own name and has this size.
std::optional<std::string> dim_of_size(Scope& scope, std::int64_t size, const std::vector<std::string>& but) {
  std::vector<std::string> names;
  scope.visible_names(names);
  for (const std::string& name : names) {
    if (std::find(but.begin(), but.end(), name) != but.end()) continue;
    const Scope::Found found = scope.find(Name(name));
    const Dim* dim = found.binding ? found.binding->value.as<Dim>() : nullptr;
    if (dim && dim->size == size && dim->name.plain() == Name(name)) return name;
  }
  return std::nullopt;
}

std::string new_name(Scope& scope, const std::string& wanted, const std::vector<std::string>& but) {
  std::vector<std::string> names =
      wanted.empty() ? std::vector<std::string>{"n", "m", "k"} : std::vector<std::string>{wanted};
  for (int i = 2; i < 100; ++i) names.push_back(names.front() + std::to_string(i));
  for (const std::string& name : names)
    if (!scope.find(Name(name)).binding && std::find(but.begin(), but.end(), name) == but.end()) return name;
  return "unnamed";
}

/// Returns the ints of a list, or one int, as sizes.
std::optional<std::vector<std::int64_t>> sizes_of(const HostValue& value) {
  if (const auto* size = value.as<std::int64_t>()) return std::vector{*size};
  const auto* list = value.as<ListPtr>();
  if (!list) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (const HostValue& item : (*list)->items) {
    const auto* size = item.as<std::int64_t>();
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

/// Rewrites `einsum("ij,jk->ik", x, w)` with names: `x, w -> [batch, out]`. Adds a `rename` where a letter stands for
/// two dims of one size.
std::vector<Edit> einsum_by_names(const Arguments& arguments) {
  if (arguments.items.size() < 2) return {};
  const auto* text = arguments.items[0].value.as<Text>();
  if (!text) return {};
  const std::string subscripts = without_blanks(**text);
  const std::size_t arrow = subscripts.find("->");
  const std::vector<std::string> inputs = split(subscripts.substr(0, arrow), ',');
  if (inputs.size() + 1 != arguments.items.size()) return {};
  std::map<char, Dim> dims;
  std::map<char, int> count;
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const GivenArgument& item = arguments.items[i + 1];
    const graph::Value* tensor = tensor_of(item.value);
    if (!tensor || item.has_target || !item.label.empty() || tensor->dims().size() != inputs[i].size()) return {};
    std::string renamed;
    for (std::size_t k = 0; k < inputs[i].size(); ++k) {
      const Dim& own = tensor->dims()[k];
      const auto [known, is_new] = dims.emplace(inputs[i][k], own);
      ++count[inputs[i][k]];
      if (known->second.size != own.size) return {};
      if (known->second.name != own.name)
        renamed += fmt::format(", {} -> {}", own.name.text(), known->second.name.text());
    }
    const std::string operand(item.span.text());
    operands.push_back(renamed.empty() ? operand : fmt::format("rename({}{})", operand, renamed));
  }
  std::string output;
  if (arrow != std::string::npos) output = subscripts.substr(arrow + 2);
  else
    for (const auto& [letter, times] : count)
      if (times == 1) output += letter;
  std::vector<std::string> names;
  for (const char letter : output) {
    const auto known = dims.find(letter);
    if (known == dims.end()) return {};
    names.push_back(known->second.name.str());
  }
  return {{cover(arguments.items.front().span, arguments.items.back().span),
           fmt::format("{} -> [{}]", mtf::join(operands, ", "), mtf::join(names, ", "))}};
}

/// A size that stands where a dim is asked for.
struct SizeForDim {
  Span span;         ///< of the number, or of the list of numbers
  HostValue value;   ///< an int, or a list of ints
  std::string name;  ///< the name of a new dim; empty: any name
};

/// Replaces sizes by dims: a dim of the scope with this size, or a new one that is declared before the line.
/// `in_brackets`: the sizes together are one shape.
std::vector<Edit> dims_for_sizes(const std::vector<SizeForDim>& sizes, const ScopePtr& scope, bool in_brackets) {
  if (sizes.empty() || !scope || !sizes.front().span.is_known()) return {};
  std::vector<std::string> taken, declared;
  std::vector<Edit> edits;
  for (const SizeForDim& one : sizes) {
    const auto numbers = sizes_of(one.value);
    if (!numbers) return {};
    std::vector<std::string> names;
    for (const std::int64_t size : *numbers) {
      if (size <= 0) return {};
      std::optional<std::string> name = dim_of_size(*scope, size, taken);
      if (!name) {
        name = new_name(*scope, one.name, taken);
        declared.push_back(fmt::format("{} = {}", *name, size));
      }
      taken.push_back(*name);
      names.push_back(*name);
    }
    const std::string text = mtf::join(names, ", ");
    edits.emplace_back(one.span, one.value.is<ListPtr>() && !in_brackets ? "[" + text + "]" : text);
  }
  if (in_brackets) {
    const Span all = cover(sizes.front().span, sizes.back().span);
    edits = {Edit(all, "[" + mtf::join(taken, ", ") + "]")};
  }
  if (!declared.empty())
    edits.emplace_back(before_line(sizes.front().span), fmt::format("dim {}; ", mtf::join(declared, ", ")));
  return edits;
}

bool is_size(const HostValue& value) {
  const auto* list = value.as<ListPtr>();
  return value.is<int64_t>() || (list && !(*list)->items.empty() && (*list)->items.front().is<int64_t>());
}

bool takes_dims(const syntax::Parameter& parameter) {
  return parameter.kind == syntax::ParameterKind::kDim || parameter.kind == syntax::ParameterKind::kDims;
}

/// Suggests a shape for sizes: `zeros(3, 4)` means a shape of two dims, if no parameter for a number follows the shape.
Help help_with_shape(const Bound& call, const GivenArgument& item) {
  Span end = item.span;
  end.begin = end.end;
  if (item.value.is<Dim>())
    return mtf::help_with("a shape stands in brackets",
                          {{{item.span.file, item.span.begin, item.span.begin}, "["}, {end, "]"}});
  const auto& parameters = call.signature.parameters;
  const bool is_alone = std::any_of(parameters.begin(), parameters.end(), [](const syntax::Parameter& other) {
    return other.kind == syntax::ParameterKind::kNumber || other.kind == syntax::ParameterKind::kInt;
  });
  std::vector<SizeForDim> sizes;
  for (const GivenArgument& each : call.arguments.items) {
    const bool is_more = !sizes.empty() && !is_alone && each.label.empty() && !each.has_target &&
                         each.value.is<int64_t>() && item.value.is<int64_t>();
    if (&each == &item || is_more) sizes.push_back({each.span, each.value, {}});
  }
  return help_with("a shape is a list of dims", dims_for_sizes(sizes, call.arguments.scope, true));
}

/// Suggests dims for sizes. One suggestion covers all arguments of a call that are sizes instead of dims.
Help help_with_dim(const Bound& call, const syntax::Parameter& wanted, const GivenArgument& item) {
  static const Name kOver("over"), kRange("range");
  if (wanted.name == kOver) return "a dim is found by its name, as in `over: batch`";
  const auto* size = item.value.as<int64_t>();
  if (size && call.signature.name == kRange)
    return mtf::help_with(fmt::format("`0..{}` counts, and `range` takes a dim", *size),
                          {{call.span(), fmt::format("0..{}", item.span.text())}});
  std::vector<SizeForDim> sizes;
  const std::vector<std::string>& words = syntax::annotation_words();
  for (size_t i = 0; i < call.given.size(); ++i) {
    const syntax::Parameter& parameter = call.signature.parameters[i];
    if (!call.has(i) || !takes_dims(parameter) || !is_size(call.value(i))) continue;
    const bool is_word = std::find(words.begin(), words.end(), parameter.name.text()) != words.end();
    sizes.push_back({call.span(i), call.value(i), is_word ? "" : parameter.name.str()});
  }
  return help_with("a dim has a name and a size", dims_for_sizes(sizes, call.arguments.scope, false));
}

}  // namespace

Help help_with_argument(const Bound& call, const syntax::Parameter& wanted, const GivenArgument& item) {
  static const Name kEinsum("einsum");
  const HostValue& value = item.value;
  switch (wanted.kind) {
    case syntax::ParameterKind::kTensor:
      if (value.is<Text>() && call.signature.name == kEinsum)
        return help_with("dims are found by their names", einsum_by_names(call.arguments));
      return value.is<ListPtr>() ? "`tensor([…], [dims])` makes a tensor of numbers" : "";
    case syntax::ParameterKind::kInt:
      if (value.is<double>()) return "`//` divides integers";
      [[fallthrough]];
    case syntax::ParameterKind::kNumber:
    case syntax::ParameterKind::kFloat:
    case syntax::ParameterKind::kBool: return tensor_of(value) ? "this must be a number of the host, not a tensor" : "";
    case syntax::ParameterKind::kString: return "`string(x)` is the text of any value";
    case syntax::ParameterKind::kModel: return value.is<ModelClassPtr>() ? "call it to make one" : "";
    case syntax::ParameterKind::kElement: return "one of f32, f64, bf16, i32, bool";
    case syntax::ParameterKind::kShape: return help_with_shape(call, item);
    case syntax::ParameterKind::kDim:
    case syntax::ParameterKind::kDims: return help_with_dim(call, wanted, item);
    default: return {};
  }
}

std::vector<Edit> list_as_tensor(const HostValue& list, Span span, const HostValue& tensor) {
  std::vector<std::int64_t> sizes;
  const HostValue* inner = &list;
  while (const auto* items = inner->as<ListPtr>()) {
    if ((*items)->items.empty()) return {};
    sizes.push_back(static_cast<std::int64_t>((*items)->items.size()));
    inner = &(*items)->items.front();
  }
  if (!number_of(*inner) || !tensor_of(tensor)) return {};
  const Dims& dims = tensor_of(tensor)->dims();
  std::vector<std::string> names(sizes.size());
  std::size_t end = dims.size();  // matches from the last dim backwards, as other languages do
  for (std::size_t i = sizes.size(); i-- > 0;) {
    std::size_t place = end;
    while (place > 0 && dims[place - 1].size != sizes[i]) --place;
    if (place == 0) return {};
    names[i] = dims[place - 1].name.str();
    end = place - 1;
  }
  Span begin = span;
  begin.end = begin.begin;
  return {{begin, "tensor("}, {behind(span), fmt::format(", [{}])", mtf::join(names, ", "))}};
}

std::vector<Edit> percent_format(Span format, Span values, Span whole) {
  const std::string_view text = format.text();
  if (!text.starts_with('"') || text.size() < 2) return {};
  std::string_view given = values.text();
  const bool is_tuple = given.starts_with('(') && closing_bracket(given, 0) == given.size();
  const std::vector<std::string> parts =
      is_tuple ? between_commas(given.substr(1, given.size() - 2)) : std::vector{std::string(given)};
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const std::size_t last = text.find_first_of("diufFeEgGsxX%", i + 1);
    if (last == std::string_view::npos) return {};
    const std::string between(text.substr(i + 1, last - i - 1));
    i = last;
    if (text[last] == '%') {
      out += '%';
      continue;
    }
    if (next == parts.size() || between.find_first_not_of("0123456789.+-") != std::string::npos) return {};
    const bool is_float = std::string_view("fFeEgG").find(text[last]) != std::string_view::npos;
    const std::string pattern = is_float ? between + text[last] : between;
    out += "{" + parts[next++] + (pattern.empty() ? "" : ":" + pattern) + "}";
  }
  if (next != parts.size()) return {};
  return {{whole, out}};
}

std::vector<Edit> as_instance(const ModelClass& model, Span name, const ScopePtr& scope) {
  std::vector<std::string> arguments;
  for (const syntax::Parameter& parameter : model.declaration->signature->parameters) {
    if (parameter.has_default) continue;
    if (!scope || !scope->find(parameter.name).binding) return {};
    arguments.push_back(parameter.name.str());
  }
  return {{behind(name), "(" + mtf::join(arguments, ", ") + ")"}};
}

}  // namespace mtf::eval
