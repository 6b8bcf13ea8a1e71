#pragma once
// Cuts: where what has been collected in the global graph is computed (graph/value_table.h says what of it is kept).
//
// Cuts happen:
//
// - where the host needs a number, for instance for `print` or a condition;
// - at both ends of `counters`, and where a plan has walked a doubtful part (eval/doubtful.h);
// - at the end of a statement at the prompt;
// - at the end of a loop iteration that has assigned a variable, if a later iteration may read the variable;
// - after 64 iterations of a loop without a cut, or 10,000 operations of an outermost one, if no gradient can come;
// - at the end of a statement, after more than 100,000 operations since the last cut.
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

/// A function that is being evaluated once for all turns of a loop over a dim (eval/turns.h).
struct Turn {
  std::string_view name;           ///< of the builtin: `scan`
  Span call;                       ///< where that is called
  int64_t first = 0;               ///< nodes and scopes with smaller numbers are outside
  int64_t last_variable = 0;       ///< variables with larger numbers are made in the turn, which may assign them
  Turn* outer = nullptr;           ///< the one around it
  std::vector<PlacePtr> own = {};  ///< what stands for the loop's variables in the turn, which may assign them

  /// A list outside, by the name that holds it, to which the turn has appended.
  struct Extended {
    ScopePtr scope;
    Name name;
    size_t before;  ///< so many items it had
  };
  std::vector<Extended> extended = {};
};

class Cuts {
 public:
  /// `reads`: what the host reads as numbers, for a run to write down and a plan to read; may be null.
  Cuts(plan::Execution* execution, ops::Builder& builder, const AbstractDomain& domain, OpenBlocks& blocks,
       Reports& reports, Replays& replays, const Interrupt& interrupt, std::shared_ptr<std::vector<double>> reads);

  /// A cut: computes `needed`, and whatever else is held and pending. `made`: what it has done, to be repeated.
  void cut(const graph::Values& needed, Span span, plan::MadeCut* made = nullptr);
  /// The same of what is held and pending, but `compute` computes it, and says whether there was anything.
  void cut_by(Span span, const std::function<bool(plan::Execution&, graph::ValueTable&)>& compute);
  /// Called at each cut that computed something, with its place.
  void on_cut(std::function<void(Span)> callback) { on_cut_ = std::move(callback); }

  /// Says how an error of what a cut computes is shown.
  void on_failure(std::function<Diagnostic(const Diagnostic&)> callback) { on_failure_ = std::move(callback); }

  /// A tensor without dims as its number, which the run knows and a plan only from `reads`: a cut.
  HostValue read_number(const graph::Value& value, Span span);
  /// The whole tensor, on every rank: a cut. Not in a check.
  plan::HostTensor fetch(const graph::Value& value, Span span);

  /// Lets go of the names that no later statement of a block can read, and cuts where too many operations wait.
  /// `keep_all`: every name is kept, an instance's, a module's.
  void end_statement(const BlockInfo& info, size_t statement, Scope& scope, bool keep_all);
  /// Turns of one loop that wait for each other.
  struct Waiting {
    int64_t turns = 0;     ///< since the last cut, or since a gradient was last found to be possible
    int64_t patience = 1;  ///< grows where one is, and with what is held: whether one is takes a walk over it
    int64_t cuts = 0;      ///< those made before
    bool carries = false;  ///< none waits: a later turn may read what one assigns to a variable
    bool is_outermost = true;
    int64_t assignments = 0;  ///< of variables, before the loop
  };
  /// How often variables have been assigned.
  int64_t assignments() const { return assignments_; }
  /// True if each turn of the loop ends in a cut: a turn has assigned a variable, and a later turn may read it.
  /// Functions that assign names of their own look like functions that assign variables, as a name may stand for a
  /// variable.
  bool cuts_each(const Waiting& waiting) const { return waiting.carries && assignments_ != waiting.assignments; }
  /// A loop's turn ends: a cut, or it waits. As long as the text may ask for a gradient all wait; where it cannot, 64
  /// turns of a loop are enough for a program, or as many of an outermost one as make it 10,000 operations: the next
  /// ones have its plan.
  void end_turn(Waiting& waiting, Span loop);
  /// A turn's end is a cut wherever it is carried on.
  bool cuts_turns() const { return execution_ && !turn_ && waits_ == 0; }
  /// As long as what it returns lives, no turn of a loop is cut: an instance is being made, and what its variables
  /// begin with is best computed when their paths are known.
  Restore<int> wait() { return Restore(waits_, waits_ + 1); }
  /// A block ends. If functions may outlive it, its scope keeps what they name alone, and says how many bytes that is.
  void end_block(const BlockInfo& info, Scope& scope, bool keep_all) const;

  // ---- turns of a loop over a dim: there are no cuts ----------------------------------------------------------------
  /// The innermost that is under way, or null.
  Turn* turn() const { return turn_; }
  Restore<Turn*> within(Turn& turn) { return Restore(turn_, &turn); }
  /// Fails (not_in_turn) at `span` in a turn: `what` has to be done once for each.
  void refuse_in_turn(Span span, std::string_view what) const;

  /// As long as it lives, a reader holds the values that it is given, and only looks at them. A value keeps no history
  /// if such readers alone hold it, and names that no later gradient comes to.
  class [[nodiscard]] Looking {
   public:
    explicit Looking(Cuts& cuts) : cuts_(cuts), before_(cuts.looked_at_.size()) {}
    ~Looking() { cuts_.looked_at_.resize(before_); }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;
    void at(const HostValue& value) {
      if (auto* const tensor = value.as<graph::Handle>()) {
        graph::Node& node = *tensor->value().node;
        cuts_.looked_at_.emplace_back(&node, node.held(0));
      }
    }

   private:
    Cuts& cuts_;
    size_t before_;
  };
  /// A variable has been assigned: at the next cut the histories that read what it was end.
  void assigned(const PlacePtr& place);
  /// As long as what it returns lives, variables that are assigned are written down in `places`.
  Restore<std::vector<PlacePtr>*> assigned_into(std::vector<PlacePtr>& places) { return Restore(assigned_, &places); }
  bool in_counters() const { return !counted_.empty(); }
  /// A name of a scope has been bound, or an expression was a statement there: `counters` counts what its block makes.
  void made(const Scope& scope, const HostValue& value);
  /// A name of the scope has been assigned: of what a counted block binds, the value at its end is what it computes.
  void replaced(const Scope& owner, const HostValue& before, const HostValue& value);
  /// What `walk`, a block whose names are those of `scope`, computes and communicates; nothing if only the run knows.
  std::optional<plan::Counters> counted(const Scope& scope, Span block, const std::function<void()>& walk);

 private:
  /// A `counters` block under way: what it has bound or assigned and has not been computed. All of it is.
  struct Counted {
    const Scope* scope = nullptr;
    std::vector<HostValue> values;
  };

  /// Before a cut: of values that are only looked at, or held by names that no later gradient comes to, no history is
  /// kept.
  void end_unreachable_histories();
  /// How many have been added to the graph since the last cut, whether somebody holds what they give or not: a prompt
  /// holds more than a run, and has its cuts in the same places.
  int64_t operations_since() const;

  plan::Execution* execution_;
  ops::Builder& builder_;
  const AbstractDomain& domain_;
  OpenBlocks& blocks_;
  Reports& reports_;
  Replays& replays_;
  const Interrupt& interrupt_;
  std::shared_ptr<std::vector<double>> reads_;
  size_t next_read_ = 0;            ///< of `reads_`, in a plan
  bool variables_changed_ = false;  ///< since the last cut
  std::vector<PlacePtr>* assigned_ = nullptr;
  int64_t cuts_ = 0;               ///< so far
  int64_t assignments_ = 0;        ///< so far
  int64_t operations_before_ = 0;  ///< of the table, at the last of them
  /// Each is held by a reader that only looks at it, and had so many holders then: later ones are the reader's own.
  std::vector<std::pair<graph::Node*, int>> looked_at_;
  int waits_ = 0;  ///< not 0: turns of loops wait
  std::vector<Counted> counted_;
  Turn* turn_ = nullptr;
  std::function<void(Span)> on_cut_;
  std::function<Diagnostic(const Diagnostic&)> on_failure_;
};

}  // namespace mtf::eval
