#pragma once
// Reports of a session to its caller: the costs of each statement, and the progress of long loops.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/counters.h"
#include "plan/doubt.h"
#include "spmd/statement_costs.h"
#include "support/restore.h"
#include "support/source.h"

namespace mtf::plan {
class Execution;
class ProgramRecord;
}  // namespace mtf::plan

namespace mtf::eval {

/// The progress of one loop.
struct LoopProgress {
  std::string variable;
  int64_t iteration = 0;
  int64_t iterations = 0;  ///< 0: unknown, as in a `while`
  double seconds = 0;      ///< since the loop began
};
/// The running loops, from the outermost inwards: the outermost one, and the inner loops that compute something in each
/// iteration.
using Progress = std::vector<LoopProgress>;

/// The report of one plan that a statement runs.
struct StatementReport {
  Span span;
  std::string text;                        ///< the statement's first line
  std::vector<spmd::StatementCost> costs;  ///< each instruction that computed or communicated
  plan::Counters counters;                 ///< of one execution of the plan
  int64_t iterations = 1;                  ///< number of executions; 0: unknown (`per turn`)
  bool is_estimate = false;                ///< `iterations` is extrapolated: not every iteration of a loop was walked
  plan::Doubts doubts;                     ///< in `mtf plan`: why the figures of the whole statement are an estimate
  Span cut;                                ///< of the cut that first asked for the plan
  graph::CallFrameRef frame;               ///< in `mtf plan`: the calls around the cut
  int64_t plan = 0;                        ///< number of the execution's plan: repeated runs share one report
};

/// A value that a program makes and nobody reads (eval/unread.h).
struct Unread {
  Span place;  ///< in the program itself, not in a module: the value, or the call that made it
  Name name;   ///< the program's name for the value, if any
};

/// The reports of the present top-level statement: one for each plan that it runs, with the number of runs.
class Reports {
  /// A report's runs, split by program of the record, because several programs may share one plan.
  using Shares = std::vector<std::pair<int32_t, int64_t>>;

 public:
  /// Starts reporting plans.
  void collect() { collects_ = true; }
  /// Sets the function that gets each report of a top-level statement at its end. Plans are reported if `callback` is
  /// set and the session `computes`.
  void on_statement(std::function<void(const StatementReport&)> callback, bool computes);
  /// Sets the record that is told how often each of its programs runs.
  void set_record(std::shared_ptr<plan::ProgramRecord> record) { record_ = std::move(record); }

  /// Declares that evaluated code runs `iterations` times, for the lifetime of the returned object; 0: unknown.
  Restore<int64_t> repeated(int64_t iterations) { return Restore<int64_t>(iterations_, iterations); }
  int64_t iterations() const { return iterations_; }

  /// Clears the reports of the statement before.
  void begin_statement();
  /// Adds the plan that has just been run. The cut at `cut`, in the call `frame`, asked for it.
  void add_last_plan(const plan::Execution& execution, Span cut, const graph::CallFrameRef& frame);
  /// Calls the callback for a statement at `span`, even if the statement computed nothing: it may have printed.
  void end_statement(Span span);
  const std::vector<StatementReport>& list() const { return list_; }

  /// Marks the figures of the present statement as an estimate.
  void doubt(const plan::Doubt& doubt);
  /// The reasons why the figures are an estimate; empty if they are exact.
  const plan::Doubts& doubts() const { return doubts_; }
  /// The number of runs of plans that computed or communicated.
  int64_t plans() const { return plans_; }

  /// The numbers of runs at the beginning of a loop.
  class Mark {
   public:
    explicit Mark(const Reports& reports);

   private:
    friend class Reports;
    std::vector<Shares> shares_;
  };
  /// Extrapolates the runs added since `mark` from `done` iterations of the loop at `loop` to all `count` iterations.
  void extrapolate(const Mark& mark, int64_t done, int64_t count, Span loop);

 private:
  bool collects_ = false;
  std::shared_ptr<plan::ProgramRecord> record_;
  int64_t iterations_ = 1;
  std::vector<StatementReport> list_;
  std::vector<Shares> shares_;  ///< of each report; without a record, all belong to program -1
  plan::Doubts doubts_;
  int64_t plans_ = 0;
  std::function<void(const StatementReport&)> on_statement_;
};

}  // namespace mtf::eval
