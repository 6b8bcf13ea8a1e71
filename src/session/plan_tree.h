#pragma once
// The cost of a program as a tree that follows its source: statements, their calls, and lines.
//
// Numbers are those of the processor with most work. A plan is the computation of one cut, which runs once or in many
// iterations of a loop. It is below the calls that were active at the cut. The numbers of a plan, and of the parts
// below it, are those of one iteration. If iterations differ slightly, the most frequent one counts. The numbers of a
// statement, and of calls that lead to plans, are those of all iterations. Calls at the same position are one part,
// however often they ran. The backward pass of a line belongs to the line.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "eval/callee.h"
#include "eval/reports.h"

namespace mtf::session {

struct PartCost {
  std::int64_t flops = 0;  ///< with backward flops
  std::int64_t backward_flops = 0;
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;       ///< moved by them
  std::int64_t wire_bytes = 0;  ///< sent for them by one processor
  double seconds = 0;           ///< by a machine model; 0 without one
  double backward_seconds = 0;  ///< of the backward pass's computing
  double communicating_seconds = 0;
  void add(const spmd::StatementCost& cost, std::int64_t times = 1);
  void add(const PartCost& other);
};

struct PlanPart {
  Span span;                 ///< the statement, the call, or an expression of the line
  std::string text;          ///< the first line, as in the program
  eval::Callee callee;       ///< of a call
  eval::Callee last_callee;  ///< of the last of several calls
  bool is_plan = false;
  std::int64_t iterations = 1;  ///< iterations of a plan; 0: only the run knows
  int variants = 1;             ///< number of plans shown as one, because they compute the same lines
  bool is_estimate = false;     ///< for a plan, of its iterations; for a statement, of its numbers
  std::int64_t calls = 0;       ///< number of calls at this position, in everything that is shown as one part
  PartCost cost;
  std::vector<std::unique_ptr<PlanPart>> parts;
  std::vector<const spmd::StatementCost*> own;  ///< of a line: the computations there
};

class PlanTree {
 public:
  PlanTree();
  ~PlanTree();
  /// Adds a report of a statement, for one of its plans. The costs that parts point to live as long as the tree.
  void add(const eval::StatementReport& report);
  /// The statements, in the program's order.
  const PlanPart& root() const { return root_; }
  const std::vector<std::unique_ptr<eval::StatementReport>>& reports() const { return reports_; }
  /// The counters of all statements, each as often as it runs. A statement with an unknown number of iterations counts
  /// once. Everything but processors and the peak is a sum.
  const plan::Counters& totals() const { return totals_; }
  /// The reasons why the sums are estimates; empty if they are exact.
  const plan::Doubts& doubts() const { return doubts_; }

 private:
  struct Statement;

  PlanPart root_;
  plan::Counters totals_;
  plan::Doubts doubts_;
  std::unique_ptr<Statement> last_;
  std::vector<std::unique_ptr<eval::StatementReport>> reports_;
};

/// Calls `visit` with every cost of the program, how often it runs, and its calls, innermost first.
void each_cost(const PlanTree& tree, const std::function<void(const spmd::StatementCost&, std::int64_t,
                                                              const std::vector<const graph::CallFrame*>&)>& visit);

/// Returns the only plan of a part that has no other parts, which is shown together with it; otherwise null.
const PlanPart* only_plan(const PlanPart& part);
/// Returns the parts below a part, or below its only plan.
const std::vector<std::unique_ptr<PlanPart>>& parts_of(const PlanPart& part);
/// Returns how often the parts below a part run, if the part itself runs `times` times.
std::int64_t times_below(const PlanPart& part, std::int64_t times);
/// True if a stage of a pipeline sends values to another stage.
bool has_pipelines(const PlanTree& tree);
/// Keeps the unread results of lines without cost. On other lines, a part of the result is read.
std::vector<eval::Unread> without_costs(const std::vector<eval::Unread>& unread, const PlanTree& tree);

}  // namespace mtf::session
