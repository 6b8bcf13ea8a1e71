#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/name.h"
#include "support/source.h"
#include "syntax/ast_expressions.h"

// What a call of something looks like: one form for operations, for functions of the host, and for functions and models
// of scripts.
//
// That of a script is made from its declaration. That of a record is a text, which help and the reference show as it
// is:
//
//   pad(x: tensor, DIM: pair..., value: number = 0)        split(s: string, by: string = none) -> list
//
// A parameter is `name: kind`; `name` alone takes any value. With ` = default` it can be left out: the default is
// shown, and whoever is called supplies it. If it is `none`, to give `none` is to leave the argument out. With `...`
// behind it, it takes any number of arguments without labels. The kinds are those of `ParameterKind`. Besides
// parameters a signature may have
//
//   -> shape, -> shape?, -> pairs    behind the last parameter: arguments are followed by an arrow
//   DIM: int..., DIM: pair...        labels that name dims, each with an int or two
//   DIM: dim...                      the same, each with a dim
//   NAME: value...                   labels of any names
//   ...                              whatever else is given, labels and arrows too
//
// and, behind its bracket, `-> kind` of what a call gives.
namespace mtf::syntax {

enum class ParameterKind : std::uint8_t {
  kAny,
  kTensor,
  kTensors,
  kNumber,
  kInt,
  kFloat,
  kBool,
  kString,
  kList,
  kDim,
  kDims,
  kShape,
  kElement,
  kNested,
  kInts,
  kFunction,
  kModel,
  kShaped,  // a tensor of the shape that a script says
};
// What it is called in messages: `a dim or a list of dims`.
std::string_view text_of(ParameterKind kind);

struct Parameter {
  Name name;
  ParameterKind kind = ParameterKind::kAny;
  bool has_default = false;
  bool none_is_default = false;
  bool is_variadic = false;
  std::string text;  // as declared: `rate: float = 0.1`
  Span span;         // of a script's
};

enum class ArrowKind : std::uint8_t {
  kNone,
  kOptionalShape,
  kShape,
  kPairs,
  kShapeOrGroups,  // behind the first argument a shape, behind others what takes the place of dims
};
enum class LabelKind : std::uint8_t { kNone, kInt, kPair, kDim, kAny };

struct Signature {
  Signature() = default;
  // Of a record; a malformed text is our own bug.
  Signature(std::string_view text);  // NOLINT: a text is a signature wherever one is asked for
  Signature(const char* text) : Signature(std::string_view(text)) {}  // NOLINT
  // Of what a script declares at `span`, from its first word to before the body. `declared` lives longer.
  Signature(Name name, std::span<const ast::Parameter> declared, const ast::Annotation* result, Span span);

  Name name;  // that of a function without one is `fn`
  std::vector<Parameter> parameters;
  ArrowKind arrow = ArrowKind::kNone;  // `-> shape` is required, `-> shape?` is not
  LabelKind labels = LabelKind::kNone;
  bool takes_rest = false;
  std::optional<ParameterKind> result;       // of a record that says it
  std::string text;                          // all of it
  Span span;                                 // of a script's
  std::span<const ast::Parameter> declared;  // of a script's: its parameters with their annotations and defaults

  // The place of the parameter that has the name; their number if none has.
  std::size_t place_of(Name parameter) const;
};

// The words with which a script asks for a kind of value: `dim`, `int`, `fn`.
const std::vector<std::string>& annotation_words();
ParameterKind kind_of(const ast::Annotation& annotation);

}  // namespace mtf::syntax
