#pragma once
// `--check-finite`: reports the first NaN or infinity that an operation computes from finite operands.
//
// For each value, the cut also computes a number, `first_not_finite`. A loop over a dim stacks these numbers of its
// iterations (ops/loop.h, if Context::check_finite is set). After the cut, the values are checked in program order, and
// the values of a loop iteration by iteration. The result does not depend on layouts, fusions and ranks.
//
// A value counts only if a statement binds, returns or prints it: `where(x > 0, log(x), 0)` is finite, even if `log(x)`
// is not. The error names the operation inside the statement that computed the first such element.
//
// A number in the program (`-inf` in a mask), the contents of a file, and a value computed from a non-finite operand
// are no errors. Views and reshapes are not checked, because they have the elements of their operands.
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "ops/builder.h"

namespace mtf::plan {
class Execution;  // plan/execution.h
}

namespace mtf::eval {

/// The checks of one cut. The constructor adds them to the graph, before the cut computes them.
class FiniteCheck {
 public:
  /// The cut computes `needed` and all values that are held.
  FiniteCheck(ops::Builder& builder, const graph::Values& needed);
  ~FiniteCheck();
  FiniteCheck(const FiniteCheck&) = delete;
  FiniteCheck& operator=(const FiniteCheck&) = delete;

  /// Called after the cut. Fails (not_finite) at the operation that computed the first non-finite value.
  void expect_finite(plan::Execution& execution) const;

 private:
  struct Looked;
  std::vector<Looked> looked_;  ///< in program order
};

}  // namespace mtf::eval
