#include "ops/call.h"

#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {
namespace {

ParameterKind parse_kind(std::string_view text, std::string_view signature) {
  using enum ParameterKind;
  constexpr std::pair<std::string_view, ParameterKind> kKinds[] = {
      {"tensor", kTensor}, {"tensors...", kTensors}, {"list", kList}, {"number", kNumber},   {"int", kInt},      {"bool", kBool},
      {"dim", kDim},       {"dims", kDims},          {"shape", kShape}, {"element", kElement}, {"nested", kNested}};
  for (const auto& [name, kind] : kKinds)
    if (name == text) return kind;
  MTF_CHECK(false, "`{}` in `{}` is no kind of parameter", text, signature);
  return kTensor;
}

/// `shape?`, behind `->`
ArrowKind parse_arrow(std::string_view what, std::string_view text) {
  MTF_CHECK(what == "shape" || what == "shape?" || what == "pairs", "`-> {}` in `{}`", what, text);
  return what == "pairs" ? ArrowKind::kPairs : what == "shape" ? ArrowKind::kShape : ArrowKind::kOptionalShape;
}

/// `over: dims = all`, `DIM: pair...`
void parse_part(std::string_view part, std::string_view text, Signature& signature) {
  const size_t colon = part.find(':');
  MTF_CHECK(colon != std::string_view::npos, "`{}` in `{}` has no kind", part, text);
  const std::string_view name = trim(part.substr(0, colon));
  std::string_view kind = trim(part.substr(colon + 1));
  if (name == "DIM") {
    MTF_CHECK(kind == "int..." || kind == "pair...", "`{}` in `{}`", part, text);
    signature.labels = kind == "int..." ? LabelKind::kInt : LabelKind::kPair;
    return;
  }
  Parameter parameter;
  parameter.name = name;
  if (const size_t equals = kind.find('='); equals != std::string_view::npos) {
    parameter.optional = true;
    parameter.default_text = trim(kind.substr(equals + 1));
    kind = trim(kind.substr(0, equals));
  }
  parameter.kind = parse_kind(kind, text);
  signature.parameters.push_back(std::move(parameter));
}

}  // namespace

Signature parse_signature(std::string_view text) {
  const size_t open = text.find('(');
  MTF_CHECK(open != std::string_view::npos && text.ends_with(')'), "`{}` is no signature", text);
  Signature signature;
  signature.name = trim(text.substr(0, open));
  std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (const size_t arrow = inside.find("->"); arrow != std::string_view::npos) {
    signature.arrow = parse_arrow(trim(inside.substr(arrow + 2)), text);
    inside = inside.substr(0, arrow);
  }
  if (!trim(inside).empty())
    for (const std::string& part : split(inside, ',')) parse_part(trim(part), text, signature);
  return signature;
}

const Argument& Call::argument(std::string_view name) const {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (signature.parameters[i].name == name) return arguments[i];
  MTF_CHECK(false, "{} has no parameter {}", signature.name, name);
  return arguments[0];
}

double Call::number(std::string_view name, double otherwise) const {
  const Argument& given = argument(name);
  return given.given ? given.number : otherwise;
}

Span Call::span_of(std::string_view name) const {
  const Argument& given = argument(name);
  return given.given && given.span.is_known() ? given.span : span;
}

}  // namespace mtf
