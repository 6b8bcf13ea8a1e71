#pragma once
// Calls of operations on tensors: their arguments bound to the parameters of the operation's signature.
#include <optional>
#include <string_view>

#include "eval/host_value.h"
#include "ops/call.h"

namespace mtf {

class Operations {
 public:
  explicit Operations(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// An operation's results, one or a tuple: tensors, or of some element-wise functions of numbers a number. Unknown if
  /// an argument is, of which the type depends.
  HostValue call(const Op& op, Arguments& arguments);
  /// `a symbol b`, of which one is a tensor.
  HostValue infix(std::string_view symbol, const HostValue& a, Span a_span, const HostValue& b, Span b_span, Span span);

 private:
  /// `add(2, 3)`: what the operator gives for two numbers of the host.
  std::optional<HostValue> operator_on_the_host(const Op& op, const Bound& call) const;

  Evaluator& evaluator_;
};

}  // namespace mtf
