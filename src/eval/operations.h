#pragma once
// Operations on values: calls of tensor operations, and infix operators between values of any kind.
#include <optional>

#include "eval/host_value.h"
#include "ops/call.h"

namespace mtf::eval {

class Conversions;    // eval/conversions.h
class DoubtfulParts;  // eval/doubtful.h
class Findings;       // eval/findings.h
class Meshes;         // eval/meshes.h
class NameLookup;     // eval/name_lookup.h

/// The spans of an infix expression, its operands and its operator.
struct OperatorSpans {
  Span whole, left, right, symbol;
};

class Operations {
 public:
  Operations(ops::Builder& builder, const Conversions& convert, Meshes& meshes, NameLookup& names, Findings& findings,
             DoubtfulParts& doubts)
      : builder_(builder), convert_(convert), meshes_(meshes), names_(names), findings_(findings), doubts_(doubts) {}

  /// Calls an operation and returns its result, or a tuple of its results. Results are tensors, except that some
  /// element-wise functions of numbers return a number. Returns an unknown value if the result type depends on an
  /// unknown argument.
  HostValue call(const graph::Op& op, Arguments& arguments);
  /// Computes `a op b`. For `and` and `or`, the caller has found that `b` is needed.
  HostValue operate(ast::BinaryOp op, const HostValue& a, const HostValue& b, const OperatorSpans& spans);

 private:
  /// Computes `a op b` if at least one operand is a tensor.
  HostValue infix(ast::BinaryOp op, const HostValue& a, const HostValue& b, const OperatorSpans& spans);
  HostValue is_in(const HostValue& a, const HostValue& b, Span span) const;
  /// Reduces the items of a list: `sum([a, b, c])`.
  HostValue of_list(const graph::Op& op, const Arguments& arguments);
  /// Computes a call like `add(2, 3)` of two host numbers as the operator does. Returns nothing for any other call.
  std::optional<HostValue> operator_on_the_host(const graph::Op& op, const Bound& call);

  ops::Builder& builder_;
  const Conversions& convert_;
  Meshes& meshes_;
  NameLookup& names_;
  Findings& findings_;
  DoubtfulParts& doubts_;
};

}  // namespace mtf::eval
