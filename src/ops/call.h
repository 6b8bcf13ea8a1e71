#pragma once
// A call of an operation, its arguments evaluated and bound to the parameters of the operation's signature.
//
// What the rules of an operation find of each kind of parameter (syntax/signature.h):
//
//   tensor, list of tensors, tensor...   Argument::values; a host number becomes a tensor without dims
//   number, int                          Argument::number, is_int
//   bool                                 Argument::number (0 or 1)
//   dim                                  Argument::dims[0]
//   dims, shape                          Argument::dims
//   element                              Argument::element
//   nested, ints                         Argument::nested; of one number without lists it has no sizes
//
// An arrow is Call::arrow or, of `-> pairs`, Call::pairs; labels that name dims are Call::labels. In `over:`, labels
// and arrows a dim is found in the operands by its name and has the size that it has there.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/builder.h"
#include "support/source.h"
#include "syntax/signature.h"

namespace mtf::ops {

/// Nested lists of numbers with the sizes they have; ragged ones are refused before.
struct NestedNumbers {
  std::vector<int64_t> sizes;
  std::vector<double> numbers;
  bool all_int = true;
};

struct Argument {
  bool given = false;
  Span span;
  graph::Values values;
  double number = 0;
  bool unknown = false;  ///< it is not known before the run: a stand-in, by which nothing is to be refused
  bool is_int = false;
  Dims dims;
  ElementType element = ElementType::kF32;
  NestedNumbers nested;
};

/// A dim that a label names, with its numbers: one for `int`, two for `pair`; or with a dim, for `dim`.
struct DimLabel {
  Dim dim;
  Dim value;  ///< as `dim`, of the size that it has in the operands
  std::vector<int64_t> numbers;
  Span span;
};

/// `[a, b] -> c`: dims of an operand, and what takes their place.
struct DimGroup {
  Dims from, to;
  Span span;
};

class Call {
 public:
  Call(Builder& b, const graph::Op& o, const syntax::Signature& s)
      : builder(b), op(o), signature(s), arguments(s.parameters.size()) {}

  Builder& builder;
  const graph::Op& op;
  const syntax::Signature& signature;
  std::vector<Argument> arguments;  ///< one a parameter, in the signature's order
  std::optional<Dims> arrow;        ///< `-> [a, b]`: in einsum and reductions with the operands' sizes
  Span arrow_span;
  std::vector<std::pair<Dim, Dim>> pairs;  ///< `a -> a2`, from the operand's dim to the new one
  std::vector<DimGroup> groups;            ///< of `-> shape or groups`
  std::vector<DimLabel> labels;
  Span span;  ///< the whole call

  const Argument& argument(std::string_view name) const;
  const graph::Value& tensor(std::string_view name) const { return argument(name).values[0]; }
  double number(std::string_view name, double otherwise) const;
  bool flag(std::string_view name, bool otherwise) const { return number(name, otherwise ? 1 : 0) != 0; }
  /// The place of an argument; of the whole call where the argument has none.
  Span span_of(std::string_view name) const;
};

}  // namespace mtf::ops
