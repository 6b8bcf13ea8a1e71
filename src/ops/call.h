#pragma once
// A call of an operation, its arguments evaluated and bound to the parameters of the operation's signature.
//
// A signature is text: `pad(x: tensor, DIM: pair..., value: number = 0)`. Each parameter is `name: kind`, with
// ` = default` where it can be left out (the default is shown, the operation supplies it), and `...` for any number.
// The kinds:
//
//   tensor        a tensor; a host number becomes a tensor without dims       Argument::values
//   tensors...    one or more positional tensors                              Argument::values
//   list          a list of tensors                                           Argument::values
//   number        a host number (int or float)                                Argument::number, is_int
//   int           a host integer                                              Argument::number
//   bool          a host bool                                                 Argument::number (0 or 1)
//   dim           a dim                                                       Argument::dims[0]
//   dims          a dim or a list of dims                                     Argument::dims
//   shape         a list of dims, `[a, b]`                                    Argument::dims
//   element       an element type, `i32`                                      Argument::element
//   nested        nested lists of host numbers                                Argument::nested
//
// Besides parameters a call may have `-> shape` behind the last one (Call::arrow), `-> pairs` (Call::pairs, rename),
// and labels that name dims, `DIM: int...` or `DIM: pair...` (Call::labels). In `over:`, labels and arrows a dim is
// found in the operands by its name and has the size that it has there.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/builder.h"
#include "support/source.h"

namespace mtf {

enum class ParameterKind : uint8_t {
  kTensor, kTensors, kList, kNumber, kInt, kBool, kDim, kDims, kShape, kElement, kNested,
};

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::kTensor;
  bool optional = false;
  std::string default_text;
};

enum class ArrowKind : uint8_t { kNone, kOptionalShape, kShape, kPairs };
enum class LabelKind : uint8_t { kNone, kInt, kPair };

struct Signature {
  std::string name;
  std::vector<Parameter> parameters;
  ArrowKind arrow = ArrowKind::kNone;  ///< `-> shape` is required, `-> shape?` is not
  LabelKind labels = LabelKind::kNone;
};

/// Parses a record's signature; a malformed one is our own bug.
Signature parse_signature(std::string_view text);

/// Nested lists of numbers with the sizes they have; ragged ones are refused before.
struct NestedNumbers {
  std::vector<int64_t> sizes;
  std::vector<double> numbers;
  bool all_int = true;
};

struct Argument {
  bool given = false;
  Span span;
  Values values;
  double number = 0;
  bool unknown = false;  ///< the number is not known before the run: a stand-in, by which nothing is to be refused
  bool is_int = false;
  Dims dims;
  ElementType element = ElementType::kF32;
  NestedNumbers nested;
};

/// A dim that a label names, with its numbers: one for `int`, two for `pair`.
struct DimLabel {
  Dim dim;
  std::vector<int64_t> numbers;
  Span span;
};

class Call {
 public:
  Call(Builder& b, const Op& o, const Signature& s) : builder(b), op(o), signature(s), arguments(s.parameters.size()) {}

  Builder& builder;
  const Op& op;
  const Signature& signature;
  std::vector<Argument> arguments;  ///< one a parameter, in the signature's order
  std::optional<Dims> arrow;        ///< `-> [a, b]`: in einsum and reductions with the operands' sizes
  Span arrow_span;
  std::vector<std::pair<Dim, Dim>> pairs;  ///< `a -> a2`, from the operand's dim to the new one
  std::vector<DimLabel> labels;
  Span span;  ///< the whole call

  const Argument& argument(std::string_view name) const;
  const Value& tensor(std::string_view name) const { return argument(name).values[0]; }
  double number(std::string_view name, double otherwise) const;
  bool flag(std::string_view name, bool otherwise) const { return number(name, otherwise ? 1 : 0) != 0; }
  /// The place of an argument; of the whole call where the argument has none.
  Span span_of(std::string_view name) const;
};

}  // namespace mtf
