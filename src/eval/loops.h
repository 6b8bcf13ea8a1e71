#pragma once
// Loops: `for` and `while`.
//
// A run executes every iteration. A plan does too, as far as it knows the numbers that control the loop. When it has
// walked enough iterations, it assumes that the rest costs as much as the iterations so far. A check walks every item
// of a list. It walks every iteration over a range if the body makes a dim, a model or a list from the number, because
// types then depend on it. Otherwise one walk of the body stands for all iterations. The check repeats this walk from
// every state in which an iteration may begin, until no new state appears.
//
// If only the run knows whether an iteration reaches a `break` or `continue`, a check and a plan go on as if it did
// not. Behind the loop, or in the next iteration, the names have the joined values of both paths (JoinedNames).
// Iterations behind a possible `break` are uncertain.
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "eval/abstract.h"
#include "eval/cuts.h"
#include "eval/doubtful.h"
#include "eval/host_value.h"
#include "eval/reports.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;
class Replay;  // eval/replay.h

/// The items that a `for` or a comprehension walks.
struct Items {
  int64_t count = -1;                    ///< -1: only the run knows it
  std::function<HostValue(int64_t)> at;  ///< null: unknown. Returns each item once if are_kept is false
  std::function<HostValue()> any;        ///< a value that stands for all items of an unknown number, or of a range
  std::function<HostValue()> other;      ///< Sequence::other
  bool are_kept = true;                  ///< something else holds the items too
  bool is_finite = false;                ///< the items exist: a check walks all iterations, however many
};
/// Returns the items of `iterable`, and takes them over if nothing else holds them. Fails (not_iterable) at `span`.
Items items_of(HostValue&& iterable, Evaluator& evaluator, Span span);

class Loops {
 public:
  explicit Loops(Evaluator& evaluator) : evaluator_(evaluator) {}

  Flow run(const ast::ForStmt& stmt, const ScopePtr& scope);
  Flow run(const ast::WhileStmt& stmt, const ScopePtr& scope);
  /// Binds the variables of the interrupted outermost loop as in its last completed iteration. Does not bind them to
  /// tensors of a list without a name, which no iteration needs any more.
  void bind_last_iteration(const ScopePtr& scope);
  /// Called when a statement begins: forgets the last iteration of earlier loops.
  void begin_statement() { last_iteration_.reset(); }
  /// Walks, in a check, a part that is executed once, often or, unless it `happens`, never. Joins the values after a
  /// walk with the values before it, and walks the part again until a join adds nothing. Only the last walk reports
  /// errors.
  void walk_until_nothing_changes(const std::function<void()>& walk, bool happens);
  /// Walks a later iteration in a check that walks every iteration. `doubt` is the uncertainty at which the loop began.
  /// Drops errors from parts with more uncertainty, because a run may execute these parts only in other iterations.
  /// Returns false if such an error has ended the walk.
  bool walk_later_iteration(int doubt, const std::function<void()>& walk);
  /// Notes a `break` or `continue` of the innermost loop under the unknown condition at `place`.
  void may_have_ended(Flow flow, Span place);
  /// Sets the function that is called before each iteration of a displayed loop, and after the last one.
  void on_progress(std::function<void(const Progress&)> callback) { on_progress_ = std::move(callback); }

 private:
  /// The paths, in a check or a plan, on which iterations of a loop may have ended early.
  struct EarlyEnds {
    JoinedNames broken, continued;
    Span loop;
    int uncertainty;                              ///< the level at which the loop began
    std::optional<Doubtful> rest = std::nullopt;  ///< the part behind an early end
  };
  /// Notes the early ends of a loop while it lives.
  class [[nodiscard]] Ends {
   public:
    Ends(Loops& loops, const NameSet& assigned, Scope& scope, Span loop);
    ~Ends();
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    /// Returns how the loop continues after an iteration that ended with `flow`. kNext: with the next iteration.
    /// kBreak, kElsewhere: not at all. kReturn: with a `return`.
    Flow after_iteration(Flow flow);
    /// Ends the loop after an iteration with the given result of after_iteration(). Returns the flow behind the loop.
    Flow behind(Flow flow);
    /// True if the loop may have ended already.
    bool may_have_broken() const { return ends_ && ends_->broken.any(); }

   private:
    Loops& loops_;
    std::optional<EarlyEnds> ends_;  ///< nothing in a run
    bool uncertain_ = false;
    std::optional<AbstractDomain::Part> part_;
  };
  /// `for_lists_alone`: a check walks every iteration only because iterations assign lists.
  Flow every_iteration(const ast::ForStmt& stmt, const Items& items, bool for_lists_alone, const ast::Ident& variable,
                       Cuts::Waiting iterations, const ScopePtr& scope);
  /// Evaluates the condition; nothing if only the run knows it.
  std::optional<bool> holds(const ast::WhileStmt& stmt, const ScopePtr& scope);
  /// Runs a `while` as long as its condition is known. Returns nothing if the remaining iterations must be walked once.
  std::optional<Flow> every_iteration(const ast::WhileStmt& stmt, Cuts::Waiting& iterations, const ScopePtr& scope);
  /// Called after an iteration: ends it for cuts and for undo.
  void end_iteration(Cuts::Waiting& iterations, Span span);
  /// `replay`: the replay of the loop, or null if its iterations are not replayed.
  Flow iteration(const ast::ForStmt& stmt, HostValue&& item, const ScopePtr& inner, Replay* replay = nullptr);
  /// Returns how the iterations of a new loop wait for common cuts.
  Cuts::Waiting waiting(const ast::BlockFacts& info, const std::vector<ast::Ident>& variables, const ScopePtr& scope);
  /// Walks the body once for all iterations. `count`: their number, 0 if unknown. `header`: the condition, or the
  /// iterated value.
  void walk_once(const std::function<Flow()>& iteration, const NameSet& assigned, const ScopePtr& scope, int64_t count,
                 const Cuts::Waiting& iterations, Span span, Span header);
  /// Reports the progress of a loop, if anybody listens and the loop is displayed.
  class Shown {
   public:
    Shown(Loops& loops, std::string variable, int64_t iterations, const Cuts::Waiting& waiting);
    ~Shown();
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;
    void at(int64_t iteration);

   private:
    Loops* loops_ = nullptr;
    std::chrono::steady_clock::time_point began_;
  };
  /// True if the plan stops here: it assumes that the remaining `count - done` iterations cost as much as the
  /// iterations since `mark`.
  bool plan_ends_after(int64_t done, int64_t count, const Reports::Mark& mark, Span span);

  /// The variables of one iteration of a top-level loop.
  struct Iteration {
    const ast::Pattern* pattern = nullptr;
    HostValue item;
  };

  Evaluator& evaluator_;
  /// The last completed iteration of the loop under way at a prompt; none if its item would keep a tensor alive.
  std::optional<Iteration> last_iteration_;
  int depth_ = 0;                   ///< number of loops under way
  std::vector<EarlyEnds*> ends_;    ///< of the loops under way; null in a run
  int64_t planned_iterations_ = 0;  ///< number of iterations that a plan has walked
  std::function<void(const Progress&)> on_progress_;
  Progress progress_;  ///< of the displayed loops
};

}  // namespace mtf::eval
