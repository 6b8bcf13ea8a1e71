#pragma once
// What a session tells whoever drives it: what each statement cost, and how far a long loop is.
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

/// How far a loop is.
struct LoopProgress {
  std::string variable;
  int64_t turn = 0;
  int64_t turns = 0;   ///< 0: unknown, of a `while`
  double seconds = 0;  ///< since it began
};
/// Of the loops under way, from the outermost on: that one, and inside it those that compute something in each turn.
using Progress = std::vector<LoopProgress>;

/// What is said of one plan that a statement runs.
struct StatementReport {
  Span span;
  std::string text;                        ///< the statement's first line
  std::vector<spmd::StatementCost> costs;  ///< each instruction that computed or communicated
  plan::Counters counters;                 ///< of one time
  int64_t turns = 1;                       ///< how often that is done; 0: unknown (`per turn`)
  bool is_estimate = false;                ///< `turns` is extrapolated: the plan did not walk every turn of a loop
  plan::Doubts doubts;                     ///< of a plan: why the figures of the whole statement are an estimate
  Span cut;                                ///< what asked for it first
  graph::CallFrameRef frame;               ///< through which calls it was come to; of a plan
  int64_t plan = 0;                        ///< which plan of the execution's: what repeats is one report
};

/// A value that a program makes and nobody reads (eval/unread.h).
struct Unread {
  Span place;  ///< in the program itself: the value, or the call through which it was made
  Name name;   ///< that the program gave it, if any
};

/// The reports of the top-level statement under way: one for each plan that it runs, with how often it does.
class Reports {
  /// Of a report's turns, those of each program of the record: several may have one plan.
  using Shares = std::vector<std::pair<int32_t, int64_t>>;

 public:
  /// From here on plans are reported.
  void collect() { collects_ = true; }
  /// Called with each report of a top-level statement when that has ended; plans are reported if it is set.
  void on_statement(std::function<void(const StatementReport&)> callback, bool computes);
  /// Is told how often each program that it has runs.
  void set_record(std::shared_ptr<plan::ProgramRecord> record) { record_ = std::move(record); }

  /// What is evaluated now will run so often, as long as what it returns lives; 0: nobody knows.
  Restore<int64_t> repeated(int64_t turns) { return Restore<int64_t>(turns_, turns); }
  int64_t turns() const { return turns_; }

  /// Forgets what an earlier statement did.
  void begin_statement();
  /// Adds the plan that has just been run, asked for at `cut`, in the call `frame`.
  void add_last_plan(const plan::Execution& execution, Span cut, const graph::CallFrameRef& frame);
  /// Tells the callback of a statement at `span`, also if it computed nothing: it may have printed.
  void end_statement(Span span);
  const std::vector<StatementReport>& list() const { return list_; }

  /// The figures of the statement under way are an estimate.
  void doubt(const plan::Doubt& doubt);
  /// Why they are; nothing if they are not.
  const plan::Doubts& doubts() const { return doubts_; }
  /// How many plans have been run.
  int64_t plans() const { return plans_; }

  /// A loop's share in how often plans run: made where the loop begins.
  class Mark {
   public:
    explicit Mark(const Reports& reports);

   private:
    friend class Reports;
    std::vector<Shares> shares_;
  };
  /// What has been added since `mark` by `done` turns of a loop, which stands at `loop`, is taken to be done by all
  /// `count`.
  void extrapolate(const Mark& mark, int64_t done, int64_t count, Span loop);

 private:
  bool collects_ = false;
  std::shared_ptr<plan::ProgramRecord> record_;
  int64_t turns_ = 1;
  std::vector<StatementReport> list_;
  std::vector<Shares> shares_;  ///< of each report; without a record of program -1 alone
  plan::Doubts doubts_;
  int64_t plans_ = 0;
  std::function<void(const StatementReport&)> on_statement_;
};

}  // namespace mtf::eval
