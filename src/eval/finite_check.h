#pragma once
// `--check-finite`: the first NaN or infinity that an operation makes of finite operands is an error.
//
// Each cut computes one number more for each value that it computes: `first_not_finite`. A loop over a dim stacks these
// numbers of its turns (ops/loop.h, where Context::check_finite is set). When the cut has run, the values are looked at
// in program order, those of a loop turn by turn. Layouts, fused loops and ranks change nothing of what they say.
//
// Only what a statement binds, gives or prints counts: `where(x > 0, log(x), 0)` is finite, whatever its parts are. The
// error then names the operation within the statement that made the first such element.
//
// A number that the program gives (`-inf` in a mask), a file's contents and what is computed from a value that is not
// finite are no errors. Views and reshapes have the elements of their operands, and are not looked at.
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "ops/builder.h"

namespace mtf::plan {
class Execution;  // plan/execution.h
}

namespace mtf::eval {

/// The checks of one cut. It adds them to the graph when it is made, before the cut computes them.
class FiniteCheck {
 public:
  /// `needed` and what is held are what the cut computes.
  FiniteCheck(ops::Builder& builder, const graph::Values& needed);
  ~FiniteCheck();
  FiniteCheck(const FiniteCheck&) = delete;
  FiniteCheck& operator=(const FiniteCheck&) = delete;

  /// After the cut. Fails (not_finite) where the first value was made that is not finite.
  void expect_finite(plan::Execution& execution) const;

 private:
  struct Looked;
  std::vector<Looked> looked_;  ///< in program order
};

}  // namespace mtf::eval
