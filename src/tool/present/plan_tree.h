#pragma once
// What a program costs, as a tree that follows its source: statements, the calls in them, lines.
//
// Figures are those of the largest processor. A plan is what one cut computes, once or in many turns of a loop; it
// stands below the calls that were under way there. Figures of a plan and of what is below it are those of one turn,
// where turns differ a little of the most frequent one; above, of a statement and of calls that lead to plans, those of
// all turns. Calls that stand at one place are one part, however often they were made there, and a line's backward pass
// is part of the line.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "eval/callee.h"
#include "eval/reports.h"

namespace mtf::tool {

struct PartCost {
  std::int64_t flops = 0;  ///< backward ones included
  std::int64_t backward_flops = 0;
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;       ///< that they move
  std::int64_t wire_bytes = 0;  ///< that a processor sends for them
  void add(const spmd::StatementCost& cost, std::int64_t times = 1);
  void add(const PartCost& other);
};

struct PlanPart {
  Span span;                 ///< the statement, the call, or an expression of the line
  std::string text;          ///< as the program has it, its first line
  eval::Callee callee;       ///< of a call
  eval::Callee last_callee;  ///< of the last of several calls
  bool is_plan = false;
  std::int64_t turns = 1;    ///< of a plan; 0: only the run knows
  int variants = 1;          ///< of a plan: plans that are shown as one, since they compute the same lines
  bool is_estimate = false;  ///< of a plan's turns; of a statement's figures
  std::int64_t calls = 0;    ///< made here, in all that is shown as one
  PartCost cost;
  std::vector<std::unique_ptr<PlanPart>> parts;
  std::vector<const spmd::StatementCost*> own;  ///< of a line: what is computed there
};

class PlanTree {
 public:
  PlanTree();
  ~PlanTree();
  /// A report of a statement: one plan of it. The costs that parts point to live as long as the tree.
  void add(const eval::StatementReport& report);
  /// The statements, in the program's order.
  const PlanPart& root() const { return root_; }
  const std::vector<std::unique_ptr<eval::StatementReport>>& reports() const { return reports_; }

 private:
  struct Statement;

  PlanPart root_;
  std::unique_ptr<Statement> last_;
  std::vector<std::unique_ptr<eval::StatementReport>> reports_;
};

/// Calls `visit` with every cost of the program, how often it runs, and the calls through which it came, innermost
/// first.
void each_cost(const PlanTree& tree, const std::function<void(const spmd::StatementCost&, std::int64_t,
                                                              const std::vector<const graph::CallFrame*>&)>& visit);

/// The plan of a part that has nothing but one, which is shown as one with it; null if there is none.
const PlanPart* only_plan(const PlanPart& part);
/// What stands below a part: its parts, or those of its only plan.
const std::vector<std::unique_ptr<PlanPart>>& parts_of(const PlanPart& part);
/// How often what stands below a part is computed, which is computed so many `times` itself.
std::int64_t times_below(const PlanPart& part, std::int64_t times);
/// What a part calls: `Layer blocks[0] … blocks[3]`; nothing if it is no call.
std::string callee_text(const PlanPart& part);
/// How often a plan, or the only one of a part, is computed: `about ×271`; nothing if once, or if it is another part.
std::string how_often(const PlanPart& part);

/// `model.mtf:12`, without folders.
std::string place_of(Span span);
/// The line that a span begins on, without its blanks.
std::string line_of(Span span);

}  // namespace mtf::tool
