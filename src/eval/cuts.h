#pragma once
// Cuts: the moments when pending operations of the global graph are computed (graph/value_table.h says which are kept).
//
// Cuts happen:
//
// - where the host needs a number, for instance for `print` or a condition;
// - at both ends of `counters`, and where a plan has walked a doubtful part (eval/doubtful.h);
// - at the end of a statement at the prompt;
// - at the end of a loop iteration that has assigned a variable, if a later iteration may read the variable;
// - after iterations of a loop that have added many operations without a cut, or after 64 iterations, if no gradient
//   can come;
// - at the end of a statement, after more than 100,000 operations since the last cut;
// - at the end of a program that has assigned a variable since the last cut.
//
// So a loop over layers is one program, and a training step is one plan. No result depends on where cuts happen.
//
// A check has no cuts: without an execution nothing here does anything, and numbers of tensors are unknown.
#include <functional>
#include <memory>
#include <vector>

#include "eval/abstract.h"
#include "eval/host_value.h"
#include "eval/open_blocks.h"
#include "eval/replays.h"
#include "eval/reports.h"
#include "ops/builder.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"

namespace mtf::plan {
struct MadeCut;  // plan/made_cut.h
}

namespace mtf::eval {

/// The function of a loop over a dim (`scan`, for instance) under evaluation. It is evaluated once for all iterations
/// (eval/scan.h).
struct Iteration {
  std::string_view name;       ///< of the builtin: `scan`
  Span call;                   ///< the call of the builtin
  int64_t first = 0;           ///< nodes and scopes with smaller numbers are outside
  int64_t last_variable = 0;   ///< variables with larger numbers are made in the iteration, which may assign them
  Iteration* outer = nullptr;  ///< the enclosing one
  Name micro = {};             ///< of a pipeline: the dim of its micro-batches
  std::vector<VariablePtr> own = {};  ///< stand for the loop's variables in the iteration, which may assign them

  /// An outer list to which the iteration has appended, by the name that holds the list.
  struct Extended {
    ScopePtr scope;
    Name name;
    size_t before;  ///< the number of items before
  };
  std::vector<Extended> extended = {};
};

class Cuts {
 public:
  /// `reads`: the numbers that the host reads. A run appends to the list, a plan takes its numbers from the list. May
  /// be null.
  Cuts(plan::Execution* execution, ops::Builder& builder, const AbstractDomain& domain, OpenBlocks& blocks,
       Reports& reports, Replays& replays, const Interrupt& interrupt, std::shared_ptr<std::vector<double>> reads);

  /// Cuts: computes `needed` and all other values that are held and pending. `made`: gets a record of the cut, for
  /// repeating it.
  void cut(const graph::Values& needed, Span span, plan::MadeCut* made = nullptr);
  /// Cuts in the same way, but `compute` does the computation. It returns true if there was anything to compute.
  void cut_by(Span span, const std::function<bool(plan::Execution&, graph::ValueTable&)>& compute);
  /// Called at each cut that computed something, with its location.
  void on_cut(std::function<void(Span)> callback) { on_cut_ = std::move(callback); }

  /// Sets the function that converts an error of a cut before it is shown.
  void on_failure(std::function<Diagnostic(const Diagnostic&)> callback) { on_failure_ = std::move(callback); }

  /// Cuts, and returns the number in a tensor without dims. A run knows the number; a plan only from `reads`.
  HostValue read_number(const graph::Value& value, Span span);
  /// Cuts, and returns the gathered tensor on every rank. Not in a check.
  plan::HostTensor fetch(const graph::Value& value, Span span);

  /// Drops the values of names that no later statement of a block can read, and cuts if too many operations are
  /// pending. `keep_all`: every name is kept, as in an instance or a module.
  void end_statement(const ast::BlockFacts& info, size_t statement, Scope& scope, bool keep_all);
  /// Ends a program, whose last statement is at `span`: computes the variables that it has assigned, as a step of
  /// training does even if nothing is printed.
  void end_program(Span span) {
    if (execution_ && variables_changed_) cut({}, span);
  }
  /// The state of a loop whose iterations wait for a common cut.
  struct Waiting {
    int64_t iterations = 0;  ///< since the last cut, or since the last check that found a gradient possible
    int64_t patience = 1;    ///< multiplies both limits of end_iteration(), so that it rarely checks for gradients
    int64_t cuts = 0;        ///< the number of cuts when this was last updated
    int64_t added = 0;       ///< the number of operations in the table then, or at the beginning of the loop
    bool carries = false;    ///< each iteration may end in a cut: a later one may read a variable that it assigns
    bool is_outermost = true;
    int64_t assignments = 0;  ///< the number of assignments to variables before the loop
  };
  /// The number of cuts so far.
  int64_t count() const { return cuts_; }
  /// The number of assignments to variables so far.
  int64_t assignments() const { return assignments_; }
  /// True if each iteration of the loop ends in a cut: an iteration has assigned a variable, and a later one may read
  /// it. A function that assigns its own names counts as one that assigns variables, because a name may stand for a
  /// variable.
  bool cuts_each(const Waiting& waiting) const { return waiting.carries && assignments_ != waiting.assignments; }
  /// Ends an iteration of a loop: cuts or waits. All iterations wait while a gradient may come to a pending value. If
  /// none can, 64 iterations make a program, or fewer if they add many operations. The next iterations then use the
  /// same plan. While a gradient may come, the limits double at each check; otherwise they grow with the number of
  /// values that the check walked.
  void end_iteration(Waiting& waiting, Span loop);
  /// True if an iteration may end in a cut at all.
  bool cuts_iterations() const { return execution_ && !iteration_ && waits_ == 0; }
  /// Suppresses cuts at the ends of iterations while the returned object lives. Used while an instance is made: the
  /// initial values of its variables are best computed when their paths are known.
  Restore<int> wait() { return Restore(waits_, waits_ + 1); }
  /// Ends a block. If functions may outlive the block, its scope keeps only the names that they capture, and reports
  /// the bytes that it keeps alive.
  void end_block(const ast::BlockFacts& info, Scope& scope, bool keep_all) const {
    if (execution_ && scope.captured) end_captured(info, scope, keep_all);
  }

  // ---- iterations of a loop over a dim: there are no cuts -----------------------------------------------------------
  /// The innermost iteration under way, or null.
  Iteration* iteration() const { return iteration_; }
  Restore<Iteration*> within(Iteration& iteration) { return Restore(iteration_, &iteration); }
  /// Fails (not_in_turn) at `span` inside such an iteration: `what` would have to happen once for each iteration.
  void refuse_in_iteration(Span span, std::string_view what) const;

  /// A reader that holds the values it is given, but only looks at them. A value keeps no history if only such readers
  /// hold it, and names that no later gradient needs.
  class [[nodiscard]] Looking {
   public:
    explicit Looking(Cuts& cuts)
        : cuts_(cuts), before_(cuts.looked_at_.size()), lists_before_(cuts.looked_at_lists_.size()) {}
    ~Looking() {
      cuts_.looked_at_.resize(before_);
      cuts_.looked_at_lists_.resize(lists_before_);
    }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;
    void at(const HostValue& value) {
      if (auto* const tensor = value.as<graph::Handle>()) {
        graph::Node& node = *tensor->value().node;
        cuts_.looked_at_.emplace_back(&node, node.held(0));
      } else if (auto* const list = value.as<ListPtr>()) {
        cuts_.looked_at_lists_.emplace_back(list->get(), list->use_count());
      }
    }

   private:
    Cuts& cuts_;
    size_t before_, lists_before_;
  };
  /// Notes the assignment of a variable. The next cut ends the histories that read its old value.
  void assigned(const VariablePtr& variable);
  /// Collects in `variables` the variables that are assigned while the returned object lives.
  Restore<std::vector<VariablePtr>*> assigned_into(std::vector<VariablePtr>& variables) {
    return Restore(assigned_, &variables);
  }
  bool in_counters() const { return !counted_.empty(); }
  /// Notes a value that was bound in a scope, or that an expression statement made. An enclosing `counters` block
  /// counts its computation.
  void made(const Scope& scope, const HostValue& value);
  /// Notes an assignment to a name of `owner`. A `counters` block computes only the final values of the names that it
  /// binds.
  void replaced(const Scope& owner, const HostValue& before, const HostValue& value) {
    if (!iteration_ && !counted_.empty()) [[unlikely]]
      replace_counted(owner, before, value);
  }
  /// Counts the computation and communication of `walk`, a block whose names are in `scope`. Returns nothing if only
  /// the run knows them.
  std::optional<plan::Counters> counted(const Scope& scope, Span block, const std::function<void()>& walk);

 private:
  /// A `counters` block under way, with the values that it has bound or assigned and that are still pending. All are
  /// computed at the end of the block.
  struct Counted {
    const Scope* scope = nullptr;
    std::vector<HostValue> values;
  };

  void replace_counted(const Scope& owner, const HostValue& before, const HostValue& value);
  void end_captured(const ast::BlockFacts& info, Scope& scope, bool keep_all) const;
  /// Called before a cut. Ends the histories of values that are held only by looking readers, or by names that no later
  /// gradient needs.
  void end_unreachable_histories();
  /// True if no later gradient can reach a pending value. False on several processors, where a sum over many iterations
  /// stays partial until the program ends, and if programs are recorded to be planned on several.
  bool no_gradient_needs_pending();
  /// The number of operations added to the graph since the last cut. Includes operations with unread results: a prompt
  /// holds more values than a run, but must cut at the same positions.
  int64_t operations_since() const;

  plan::Execution* execution_;
  ops::Builder& builder_;
  const AbstractDomain& domain_;
  OpenBlocks& blocks_;
  Reports& reports_;
  Replays& replays_;
  const Interrupt& interrupt_;
  std::shared_ptr<std::vector<double>> reads_;
  size_t next_read_ = 0;            ///< an index into `reads_`, in a plan
  bool variables_changed_ = false;  ///< since the last cut
  std::vector<VariablePtr>* assigned_ = nullptr;
  int64_t cuts_ = 0;               ///< so far
  int64_t assignments_ = 0;        ///< so far
  int64_t operations_before_ = 0;  ///< the number of operations in the table at the last cut
  /// Nodes held by looking readers, each with the number of its holders at that moment. Later holders belong to the
  /// reader itself.
  std::vector<std::pair<graph::Node*, int>> looked_at_;
  std::vector<std::pair<const List*, long>> looked_at_lists_;  ///< lists in the same way
  int waits_ = 0;                                              ///< not 0: iterations of loops wait
  std::vector<Counted> counted_;
  Iteration* iteration_ = nullptr;
  std::function<void(Span)> on_cut_;
  std::function<Diagnostic(const Diagnostic&)> on_failure_;
};

}  // namespace mtf::eval
