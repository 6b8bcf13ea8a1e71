#pragma once
// A call of an operation, its arguments evaluated and bound to the parameters of the operation's signature.
//
// The kinds of parameters (syntax/signature.h), and where the rules of an operation find their arguments:
//
//   tensor, list of tensors, tensor...   Argument::values; a host number becomes a tensor without dims
//   number, int                          Argument::number, is_int
//   bool                                 Argument::number (0 or 1)
//   dim                                  Argument::dims[0]
//   dims, shape                          Argument::dims
//   element                              Argument::element
//   nested, ints                         Argument::nested; of one number without lists it has no sizes
//
// An arrow is Call::arrow, or Call::pairs for `-> pairs`. Labels that name dims are Call::labels. In `over:`, labels
// and arrows a dim is looked up in the operands by name, and has the size that it has there.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/builder.h"
#include "support/source.h"
#include "syntax/signature.h"

namespace mtf::ops {

/// Nested lists of numbers with their sizes. The evaluator has refused ragged lists.
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
  bool unknown = false;  ///< a stand-in, known only in the run: must not be refused
  bool is_int = false;
  Dims dims;
  ElementType element = ElementType::kF32;
  NestedNumbers nested;
};

/// A dim that a label names, with its numbers: one for `int`, two for `pair`; for `dim`, with a dim.
struct DimLabel {
  Dim dim;
  Dim value;  ///< for `dim`: with its size in the operands
  std::vector<int64_t> numbers;
  Span span;
};

/// `[a, b] -> c`: dims of an operand, and the dims that replace them.
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
  std::vector<Argument> arguments;  ///< one for each parameter, in the signature's order
  std::optional<Dims> arrow;        ///< `-> [a, b]`; in einsum and reductions with the operands' sizes
  Span arrow_span;
  std::vector<std::pair<Dim, Dim>> pairs;  ///< `a -> a2`, from the operand's dim to the new one
  std::vector<DimGroup> groups;            ///< for `-> shape or groups`
  std::vector<DimLabel> labels;
  Span span;  ///< the whole call

  const Argument& argument(std::string_view name) const;
  const graph::Value& tensor(std::string_view name) const { return argument(name).values[0]; }
  double number(std::string_view name, double otherwise) const;
  bool flag(std::string_view name, bool otherwise) const { return number(name, otherwise ? 1 : 0) != 0; }
  /// The span of an argument, or of the call if the argument is absent.
  Span span_of(std::string_view name) const;
};

}  // namespace mtf::ops
