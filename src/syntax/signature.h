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

// The signature of a callable: one form for operations, host functions, and functions and models of scripts.
//
// The signature of a script's function is made from its declaration. The signature of a record is a text, which help
// and the reference show unchanged:
//
//   pad(x: tensor, DIM: pair..., value: number = 0)        split(s: string, by: string = none) -> list
//
// A parameter is `name: kind`; `name` alone takes any value. A parameter with ` = default` is optional. The default is
// only shown; the callee supplies it. With a default of `none`, passing `none` is the same as leaving the argument out.
// A parameter with `...` takes any number of arguments without labels. `ParameterKind` lists the kinds. A signature may
// also have
//
//   -> shape, -> shape?, -> pairs    behind the last parameter: an arrow follows the arguments
//   DIM: int..., DIM: pair...        labels that name dims, each with one int or two
//   DIM: dim...                      the same, each with a dim
//   NAME: value...                   labels of any names
//   ...                              any further arguments, labels and arrows too
//
// and, behind its bracket, `-> kind` for the kind of its result.
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
  kShaped,  // a tensor whose shape the script declares
};
// The kind's name in messages: `a dim or a list of dims`.
std::string_view text_of(ParameterKind kind);

struct Parameter {
  Name name;
  ParameterKind kind = ParameterKind::kAny;
  bool has_default = false;
  bool none_is_default = false;
  bool is_variadic = false;
  std::string text;  // as declared: `rate: float = 0.1`
  Span span;         // for a script's signature
};

enum class ArrowKind : std::uint8_t {
  kNone,
  kOptionalShape,
  kShape,
  kPairs,
  kShapeOrGroups,  // behind the first argument a shape; behind others, replacements of dims
};
enum class LabelKind : std::uint8_t { kNone, kInt, kPair, kDim, kAny };

struct Signature {
  Signature() = default;
  // Parses a record's signature. A malformed text is a bug of mtf.
  Signature(std::string_view text);  // NOLINT: a text is a signature wherever one is asked for
  Signature(const char* text) : Signature(std::string_view(text)) {}  // NOLINT
  // The signature of a script's declaration. `span` is from its first word to before the body. `declared` must outlive
  // the signature.
  Signature(Name name, std::span<const ast::Parameter> declared, const ast::Annotation* result, Span span);

  Name name;  // `fn` for a function without a name
  std::vector<Parameter> parameters;
  ArrowKind arrow = ArrowKind::kNone;  // `-> shape` is required, `-> shape?` is optional
  LabelKind labels = LabelKind::kNone;
  bool takes_rest = false;
  std::optional<ParameterKind> result;       // behind `->`
  std::string text;                          // the complete text
  Span span;                                 // for a script's signature
  std::span<const ast::Parameter> declared;  // a script's parameters with annotations and defaults

  // The index of the parameter with this name, or the number of parameters.
  std::size_t place_of(Name parameter) const;
};

// The words with which a script asks for a kind of value: `dim`, `int`, `fn`.
const std::vector<std::string>& annotation_words();
ParameterKind kind_of(const ast::Annotation& annotation);

}  // namespace mtf::syntax
