#pragma once
// Operations on values: calls of operations on tensors, and infix operators, whatever they stand between.
#include <optional>

#include "eval/host_value.h"
#include "ops/call.h"

namespace mtf::eval {

class Conversions;    // eval/conversions.h
class DoubtfulParts;  // eval/doubtful.h
class Findings;       // eval/findings.h
class Meshes;         // eval/meshes.h
class NameLookup;     // eval/name_lookup.h

/// Where an operator and its operands stand.
struct OperatorSpans {
  Span whole, left, right, symbol;
};

class Operations {
 public:
  Operations(ops::Builder& builder, const Conversions& convert, Meshes& meshes, NameLookup& names, Findings& findings,
             DoubtfulParts& doubts)
      : builder_(builder), convert_(convert), meshes_(meshes), names_(names), findings_(findings), doubts_(doubts) {}

  /// An operation's results, one or a tuple: tensors, or of some element-wise functions of numbers a number. Unknown if
  /// an argument is, of which the type depends.
  HostValue call(const graph::Op& op, Arguments& arguments);
  /// `a op b` of values; `and` and `or` have decided that b is needed.
  HostValue operate(ast::BinaryOp op, const HostValue& a, const HostValue& b, const OperatorSpans& spans);

 private:
  /// `a op b`, of which one is a tensor.
  HostValue infix(ast::BinaryOp op, const HostValue& a, const HostValue& b, const OperatorSpans& spans);
  HostValue is_in(const HostValue& a, const HostValue& b, Span span) const;
  /// `sum([a, b, c])`: the reduction of a list's items.
  HostValue of_list(const graph::Op& op, const Arguments& arguments);
  /// `add(2, 3)`: what the operator gives for two numbers of the host.
  std::optional<HostValue> operator_on_the_host(const graph::Op& op, const Bound& call);

  ops::Builder& builder_;
  const Conversions& convert_;
  Meshes& meshes_;
  NameLookup& names_;
  Findings& findings_;
  DoubtfulParts& doubts_;
};

}  // namespace mtf::eval
