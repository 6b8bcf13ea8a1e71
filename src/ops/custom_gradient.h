#pragma once
// `custom_gradient`: a value whose gradient a program of its own gives.
//
// The result of the operation is its first operand. The other operands are the arguments of the function that made the
// first one, and the values that the rule captured. Only the gradient reads them. `leave_out_unread_results` removes
// them before a program is planned. The rule is graph that was added once, with leaves for what it is given (the
// arguments, the result, the gradient of the result), and captured. The gradient of the operation adds it again, on the
// values of then. So the rule is made of operations as any other, has their split rules, and a second gradient goes
// through it.
#include <cstdint>
#include <memory>
#include <vector>

#include "graph/program.h"
#include "ops/builder.h"

namespace mtf::ops {

struct GradientRule {
  graph::Program program;  ///< its first inputs: the arguments, the result, the gradient of the result, then constants
  std::vector<double> numbers;   ///< of each input that is a number of the host
  size_t arguments = 0;          ///< so many there are
  std::vector<int> gradient_of;  ///< by argument: which root is its gradient; -1: it has none
};

/// A rule as graph that has been added.
struct RuleGraph {
  int64_t first_node = 0;   ///< nodes with smaller numbers are constants
  graph::Values arguments;  ///< leaves
  graph::Value result, d_result;
  graph::Values gradients;  ///< of the arguments; null: none
};

/// The first operation of a rule that draws random numbers; null if none does.
const graph::LaidOutOperation* random_in(const RuleGraph& rule);

/// `result`, made of `arguments`, with a gradient that the rule gives.
graph::Value with_gradient(Builder& builder, const graph::Value& result, const graph::Values& arguments,
                           const RuleGraph& rule);

}  // namespace mtf::ops
