#include "syntax/signature.h"

#include <algorithm>
#include <utility>

#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::syntax {
namespace {

struct KindOfParameter {
  ParameterKind kind;
  std::string_view word;  // in a signature
  std::string_view text;  // in a message
  bool in_scripts;        // scripts may use this word
};

using enum ParameterKind;
constexpr KindOfParameter kKinds[] = {
    {kAny, "value", "a value", false},
    {kTensor, "tensor", "a tensor", false},
    {kTensors, "list of tensors", "a list of tensors", false},
    {kNumber, "number", "a number", false},
    {kDim, "dim", "a dim", true},
    {kDims, "dims", "a dim or a list of dims", true},
    {kInt, "int", "an int", true},
    {kFloat, "float", "a float", true},
    {kBool, "bool", "a bool", true},
    {kString, "string", "a string", true},
    {kFunction, "fn", "a function", true},
    {kList, "list", "a list", true},
    {kModel, "model", "a model's instance", true},
    {kShape, "shape", "a list of dims", false},
    {kElement, "element", "an element type", false},
    {kNested, "nested", "lists of numbers", false},
    {kInts, "ints", "an int or lists of ints", false},
    {kShaped, "", "a tensor", false},
};

ParameterKind parse_kind(std::string_view word, std::string_view signature) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const KindOfParameter& kind) { return kind.word == word; });
  MTF_CHECK(found != std::end(kKinds), "`{}` in `{}` is no kind of parameter", word, signature);
  return found->kind;
}

// `shape?`, behind `->`
ArrowKind parse_arrow(std::string_view what, std::string_view text) {
  for (const auto& [word, kind] : {std::pair<std::string_view, ArrowKind>{"shape", ArrowKind::kShape},
                                   {"shape?", ArrowKind::kOptionalShape},
                                   {"pairs", ArrowKind::kPairs},
                                   {"shape or groups", ArrowKind::kShapeOrGroups}})
    if (what == word) return kind;
  MTF_CHECK(false, "`-> {}` in `{}`", what, text);
  return ArrowKind::kNone;
}

// `value...`, behind a label that stands for any label.
LabelKind parse_labels(std::string_view what, std::string_view text) {
  MTF_CHECK(what == "int..." || what == "pair..." || what == "dim..." || what == "value...", "`{}` in `{}`", what,
            text);
  return what == "int..."    ? LabelKind::kInt
         : what == "pair..." ? LabelKind::kPair
         : what == "dim..."  ? LabelKind::kDim
                             : LabelKind::kAny;
}

// `over: dims = all`, `tensors: tensor...`
syntax::Parameter parse_parameter(std::string_view part, std::string_view text) {
  syntax::Parameter parameter;
  parameter.text = part;
  if (const std::size_t equals = part.find('='); equals != std::string_view::npos) {
    parameter.has_default = true;
    parameter.none_is_default = trim(part.substr(equals + 1)) == "none";
    part = trim(part.substr(0, equals));
  }
  if (part.ends_with("...")) {
    parameter.has_default = parameter.is_variadic = true;
    part.remove_suffix(3);
  }
  const std::size_t colon = part.find(':');
  parameter.name = Name(trim(part.substr(0, colon)));
  if (colon != std::string_view::npos) parameter.kind = parse_kind(trim(part.substr(colon + 1)), text);
  return parameter;
}

}  // namespace

std::string_view text_of(ParameterKind kind) {
  return std::find_if(std::begin(kKinds), std::end(kKinds),
                      [&](const KindOfParameter& each) { return each.kind == kind; })
      ->text;
}

Signature::Signature(std::string_view whole) : text(whole) {
  const std::size_t open = whole.find('('), close = whole.rfind(')');
  MTF_CHECK(open < close && close != std::string_view::npos, "`{}` is no signature", whole);
  name = Name(trim(whole.substr(0, open)));
  std::string_view inside = whole.substr(open + 1, close - open - 1);
  if (const std::size_t behind = inside.find("->"); behind != std::string_view::npos) {
    arrow = parse_arrow(trim(inside.substr(behind + 2)), whole);
    inside = inside.substr(0, behind);
  }
  if (const std::size_t behind = whole.find("->", close); behind != std::string_view::npos)
    result = parse_kind(trim(whole.substr(behind + 2)), whole);
  if (trim(inside).empty()) return;
  for (const std::string& each : split(inside, ',')) {
    const std::string_view part = trim(each);
    const bool is_label = part.starts_with("DIM:") || part.starts_with("NAME:");
    if (part == "...") takes_rest = true;
    else if (is_label) labels = parse_labels(trim(part.substr(part.find(':') + 1)), whole);
    else parameters.push_back(parse_parameter(part, whole));
  }
}

Signature::Signature(Name declared_name, std::span<const ast::Parameter> all, const ast::Annotation* result,
                     Span declared_at)
    : name(declared_name.empty() ? Name("fn") : declared_name),
      text(name.str() + "("),
      span(declared_at),
      declared(all) {
  for (const ast::Parameter& each : all) {
    const bool is_none = each.default_value && each.default_value->as<ast::NoneExpr>() != nullptr;
    parameters.push_back({each.name.name, each.annotation ? kind_of(*each.annotation) : kAny,
                          each.default_value != nullptr, is_none, false, std::string(each.span.text()), each.span});
    text += (text.back() == '(' ? "" : ", ") + parameters.back().text;
  }
  text += ")";
  if (result == nullptr) return;
  this->result = kind_of(*result);
  text += " -> " + std::string(std::visit([](const auto& annotation) { return annotation.span; }, *result).text());
}

std::size_t Signature::place_of(Name parameter) const {
  return static_cast<std::size_t>(std::find_if(parameters.begin(), parameters.end(),
                                               [&](const syntax::Parameter& each) { return each.name == parameter; }) -
                                  parameters.begin());
}

const std::vector<std::string>& annotation_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const KindOfParameter& kind : kKinds)
      if (kind.in_scripts) all.emplace_back(kind.word);
    return all;
  }();
  return words;
}

ParameterKind kind_of(const ast::Annotation& annotation) {
  const auto* word = std::get_if<ast::WordAnnotation>(&annotation);
  if (word == nullptr) return kShaped;
  static const std::vector<std::pair<Name, ParameterKind>> words = [] {
    std::vector<std::pair<Name, ParameterKind>> all;
    for (const KindOfParameter& kind : kKinds)
      if (kind.in_scripts) all.emplace_back(kind.word, kind.kind);
    return all;
  }();
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const auto& each) { return each.first == word->word.name; });
  return found == words.end() ? kAny : found->second;  // other words have been refused
}

}  // namespace mtf::syntax
