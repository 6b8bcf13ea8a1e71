#pragma once
// Loops: `for` and `while`.
//
// A run takes every turn. A plan does too, as far as it knows what they do, until it has walked enough of them: what is
// left is taken to cost what the turns before have cost. A check takes every turn too if the body makes something of a
// number that types need (a dim, a model, a list) and the turns are known. Otherwise one walk of the body stands for
// all turns: it is repeated from all states in which a turn may begin, until it leaves no other.
//
// Where only the run knows whether a turn comes to a `break` or `continue`, a check and a plan go on as if it did not,
// and what names are behind the loop, or in the next turn, is what both ways have left (JoinedNames). Turns behind a
// `break` that may have been come to are uncertain.
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "eval/abstract.h"
#include "eval/block_info.h"
#include "eval/cuts.h"
#include "eval/doubtful.h"
#include "eval/host_value.h"
#include "eval/reports.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;
class Replay;  // eval/replay.h

class Loops {
 public:
  explicit Loops(Evaluator& evaluator) : evaluator_(evaluator) {}

  Flow run(const ast::ForStmt& stmt, const ScopePtr& scope);
  Flow run(const ast::WhileStmt& stmt, const ScopePtr& scope);
  /// Of the outermost loop that has been interrupted, the variables are bound as in the last turn that ended; but not
  /// to tensors of a list that had no name, which no turn needs any more.
  void bind_last_turn(const ScopePtr& scope);
  /// A statement begins: what an earlier one's loops did does not matter any more.
  void begin_statement() { last_turn_.reset(); }
  /// Walks, in a check, a part that happens once, often or, unless it `happens`, not at all. The values that a walk
  /// leaves are joined to the values before it, and the part is walked again, until a join adds nothing. Only the last
  /// walk reports errors.
  void walk_until_nothing_changes(const std::function<void()>& walk, bool happens);
  /// Walks, in a check that takes each turn of a loop, one that is not the first. Drops errors in parts of the turn
  /// that are more in doubt than `doubt`, at which the loop began: a run may come there in other turns alone. False if
  /// such an error has ended the walk.
  bool walk_later_turn(int doubt, const std::function<void()>& walk);
  /// The innermost loop may have come to a `break` or `continue`, under the unknown condition at `place`.
  void may_have_ended(Flow flow, Span place);
  /// Called before each turn of a loop that is shown, and after the last.
  void on_progress(std::function<void(const Progress&)> callback) { on_progress_ = std::move(callback); }

 private:
  /// The ways, of a check or a plan, on which turns of a loop under way may have ended early.
  struct EarlyEnds {
    JoinedNames broken, continued;
    Span loop;
    int uncertainty;                              ///< at which the loop began
    std::optional<Doubtful> rest = std::nullopt;  ///< what follows an early end
  };
  /// A loop under way: notes its early ends, for as long as this lives.
  class [[nodiscard]] Ends {
   public:
    Ends(Loops& loops, const NameSet& assigned, Scope& scope, Span loop);
    ~Ends();
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    /// How the loop goes on when a turn has ended with `flow`: the next turn (kNext), not at all (kBreak, kElsewhere),
    /// kReturn.
    Flow after_turn(Flow flow);
    /// The loop ends, after a turn that ended with `flow` as after_turn gives it; the flow behind the loop.
    Flow behind(Flow flow);
    /// True if it may have ended already.
    bool may_have_broken() const { return ends_ && ends_->broken.any(); }

   private:
    Loops& loops_;
    std::optional<EarlyEnds> ends_;  ///< nothing in a run
    bool uncertain_ = false;
    std::optional<AbstractDomain::Part> part_;
  };
  /// What a `for` walks over.
  struct Items {
    int64_t count = -1;                    ///< -1: unknown
    std::function<HostValue(int64_t)> at;  ///< of a list that nobody else has once for each turn; null if nobody knows
    bool are_kept = true;                  ///< by something else than this
    bool every_turn = false;
    bool for_lists_alone = false;  ///< every turn is taken for nothing but lists that turns assign
    bool is_finite = false;        ///< the items are there: a check takes all turns, however many
    HostValue any;                 ///< one that stands for all
  };
  /// Takes a list that nobody else has.
  Items items_of(HostValue& iterable, const ast::ForStmt& stmt, const std::vector<ast::Ident>& variables,
                 const ScopePtr& scope);
  Flow every_turn(const ast::ForStmt& stmt, const BlockInfo& body, const Items& items, const ast::Ident& variable,
                  Cuts::Waiting turns, const ScopePtr& scope);
  /// Its condition; nothing if only the run knows.
  std::optional<bool> holds(const ast::WhileStmt& stmt, const ScopePtr& scope);
  /// The same of a `while`, as far as its condition is known; nothing if what is left has to be walked once.
  std::optional<Flow> every_turn(const ast::WhileStmt& stmt, const BlockInfo& body, Cuts::Waiting& turns,
                                 const ScopePtr& scope);
  /// After a turn: what it assigned may be kept from here on.
  void end_turn(Cuts::Waiting& turns, Span span);
  /// `replay`: of a loop whose turns may be replayed, or null.
  Flow turn(const ast::ForStmt& stmt, const BlockInfo& body, HostValue&& item, const ScopePtr& inner,
            Replay* replay = nullptr);
  /// How the turns of a loop that begins now wait for each other.
  Cuts::Waiting waiting(const BlockInfo& info, const std::vector<ast::Ident>& variables, const ScopePtr& scope);
  /// A loop's body for all of its turns, 0 for nobody knows how many. `header`: its condition, or what it walks over.
  void walk_once(const std::function<Flow()>& turn, const NameSet& assigned, const ScopePtr& scope, int64_t count,
                 const Cuts::Waiting& turns, Span span, Span header);
  /// A loop that tells how far it is, if anybody listens and it is one that is shown.
  class Shown {
   public:
    Shown(Loops& loops, std::string variable, int64_t turns, const Cuts::Waiting& waiting);
    ~Shown();
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;
    void at(int64_t turn);

   private:
    Loops* loops_ = nullptr;
    std::chrono::steady_clock::time_point began_;
  };
  /// True if a plan takes the turns that are left, `count - done`, to be as those since `mark`: they are not walked.
  bool plan_ends_after(int64_t done, int64_t count, const Reports::Mark& mark, Span span);

  /// A turn of a loop of the program itself: what its variables are.
  struct Turn {
    const ast::Pattern* pattern = nullptr;
    HostValue item;
  };

  Evaluator& evaluator_;
  std::optional<Turn>
      last_turn_;  ///< that ended, of the one under way at a prompt; none whose item would keep a tensor alive
  int depth_ = 0;  ///< loops under way
  std::vector<EarlyEnds*> ends_;  ///< of those, null in a run
  int64_t planned_turns_ = 0;     ///< that a plan has walked
  std::function<void(const Progress&)> on_progress_;
  Progress progress_;  ///< of those that are shown
};

}  // namespace mtf::eval
