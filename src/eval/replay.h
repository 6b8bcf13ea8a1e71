#pragma once
// Replay: computes a loop iteration without evaluating it, if it makes the same program as the iterations before.
//
// An iteration has a cut, at its end or where it prints, which computes the nodes that the statements have added to the
// graph. These nodes depend only on the values that the statements read. Two consecutive iterations may make the same
// program, with each input from the same source (a variable, a name, a number). A later iteration is then replayed as
// long as everything that its statements could read is unchanged. A replay runs the plan with these inputs:
// - the present values of the variables,
// - the tensors that names stand for now,
// - the new numbers of the random calls.
// Then it gives the variables their new values.
// A replay covers a range of the body's statements. The range begins at the first statement that finds no pending
// values. It ends before the first statement that does more than add to the graph: prints, reads a number, counts.
// The statements before and after the range are evaluated. The statements after the range find computed tensors in the
// names that the range binds or assigns, and in the lists that it binds or assigns.
//
//   for (ids, next) in batches {                      evaluated: each iteration has its own
//     let loss = loss_of(net(ids), next)              replayed
//     opt.minimize(loss)                              replayed: the program has `loss` among its results
//     print(loss)                                     evaluated: nothing is left to compute
//     if step % 100 == 0 { print(loss(net(ids), next)) }    condition evaluated first; replayed if it holds as recorded
//   }
//
// The evaluator does not log the reads of statements. A replay bounds them in four ways:
// - Names in the text: the replay compares their values. A tensor may differ from the recorded one if both have the
//   same type and layout and no history.
// - Values behind these names (parts of instances, names that functions see, lists): code that changes an object from
//   before the iteration reports the change (Replays), and the replay forgets its record. A name that no function sees,
//   such as a counter, needs no report: only statements that mention the name can read it.
// - The context (mesh, layout, precision, seed): the replay compares it.
// - Numbers computed from the iteration's own numbers, such as a falling learning rate. A statement binds such a
//   number, or passes it to a function (`lr: 0.1 * optim.cosine(step, steps)`). The number may differ in each
//   iteration, as long as it only reaches other functions, and products and sums with tensors. There it is an input of
//   the program. The record finds this input by its change: from one recorded iteration to the next, it changed just as
//   the number did. The replay computes the number before it runs the plan. Any expression qualifies that can be
//   evaluated ahead: what the record and the replay need early is tried, and the first effect ends the attempt.
// An iteration is not recorded if its statements do anything else: print, read a tensor, call a library, make a
// variable, keep history for a later gradient. So no value and no error depends on whether an iteration was replayed. A
// plan, a check, the reference evaluation and a prompt evaluate every iteration.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "eval/abstract.h"
#include "eval/host_value.h"
#include "eval/iteration_record.h"
#include "graph/node_builder.h"
#include "plan/made_cut.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;
struct Binding;

class Replay {
 public:
  /// Begins a loop. `carries`: its iterations end in cuts once one has assigned a variable; else only those of readers
  /// are recorded. `iterations`: the number of iterations before.
  Replay(Evaluator& evaluator, const ast::Block& body, bool carries, int64_t iterations = 0);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  /// True if only the body's statements can still rule out a replay.
  static bool is_possible(const Evaluator& evaluator);

  // ---- one iteration, in this order ---------------------------------------------------------------------------------
  void begin_iteration();
  /// Called before a statement of the body. Returns the statement to evaluate next: this one, or the first one after
  /// the replayed range.
  size_t next_of(size_t statement, const ScopePtr& scope);
  /// Ends an iteration, with a cut if it `cuts`. The body has ended with `flow` and released the values that only it
  /// held.
  void end_iteration(Flow flow, Span loop, bool cuts);

  // ---- reports from Replays -----------------------------------------------------------------------------------------
  void has_effect();
  void changes(int64_t made);
  /// A name of `owner` is about to be assigned `value`.
  void changes_name(const Binding& binding, Scope& owner, const HostValue& value);
  /// Returns the object in which a reader's cut at `span` records itself; null if the cut is not recorded.
  plan::MadeCut* reader_cuts(Span span);
  void assigns(const VariablePtr& variable, const std::shared_ptr<const graph::HistoryEnd>& ended);
  bool has_number(const ast::Expr& expr) const;
  /// True while it records an iteration that has numbers.
  bool follows_numbers() const { return follows_numbers_; }
  bool takes_number(const ast::Expr& expr, const HostValue& value);

 private:
  /// The values of names, one after another. Tensors are kept in a list of their own.
  struct Names {
    std::vector<HostValue> host;
    graph::Values tensors;
    /// False if a value is made anew in each iteration, could change without a report, or is a large list.
    bool is_known = true;
    void add(const HostValue& value, int64_t iteration, int depth = 32);
  };
  using Record = IterationRecord;
  using Kind = Record::Kind;
  using Assigned = Record::Assigned;
  using Named = Record::Named;
  using NamedList = Record::NamedList;
  using Source = Record::Source;
  using Number = Record::Number;
  using MovingNumber = Record::MovingNumber;
  using Condition = Record::Condition;

  /// Evaluates an expression earlier than its statement does. Returns nothing if it fails, or would do more than
  /// compute a value from values of the host: print, draw, read a tensor, add to the graph, change an object. The
  /// attempt ends before that, so it leaves nothing behind, and the statement evaluates the expression again.
  std::optional<HostValue> ahead(const ast::Expr& expr, const ScopePtr& scope) const;
  /// Returns the condition of an `if` without `else` that is a direct statement of the body, else nothing. It must be
  /// evaluated ahead, from names that the body does not change. A replay ignores the `if` where the condition fails.
  /// Where it holds, the `if` is replayed as its block is.
  std::optional<Condition> condition_of(size_t statement, const ScopePtr& scope) const;
  /// True if all names of a condition come from outside the iteration, and stand for numbers, truth values, texts and
  /// dims. A replay compares their values, and need not evaluate the condition.
  bool is_of_plain_names(const ast::Expr& expr, const ScopePtr& scope) const;
  bool hold_as_recorded(const std::vector<Condition>& conditions, const ScopePtr& scope) const;
  /// Finds the record's conditions, numbers and names in the text of its statements.
  void find_what_is_read(Record& record, const ScopePtr& scope) const;
  /// Adds the numbers that a statement binds or passes to calls, and the names that the rest of the statement mentions.
  /// `bound` counts how often the replayed statements bind each name. Returns false if there is no such number.
  /// `scope` is inside the iteration's, and has the numbers that the record binds.
  bool add_numbers(const ast::Stmt& stmt, const std::unordered_map<Name, int>& bound, const ScopePtr& scope,
                   Record& record, NameSet& mentioned) const;
  bool add_numbers(const ast::Expr& expr, const std::unordered_map<Name, int>& bound, const ScopePtr& scope,
                   Record& record, NameSet& mentioned) const;
  /// Returns the number of the iteration that an expression is; nothing if it is none.
  std::optional<HostValue> number(const ast::Expr& expr, const std::unordered_map<Name, int>& bound,
                                  const ScopePtr& scope, const Record& record) const;
  Names names_of(const Record& record, const ScopePtr& scope) const;
  bool has_same_context(const Record& record) const;
  void begin_record(size_t statement, const ScopePtr& scope);
  /// Drops the present record: a replay cannot cover `statement`. The next record ends before it if earlier statements
  /// have work for a replay, else it begins behind it.
  void leave_out(size_t statement);
  /// Completes the present record, whose cut has been made, or drops it. Called before the next cut.
  void finish();
  /// Called when the range of an iteration that is being recorded has been evaluated.
  void end_range();
  /// Records the tensors that names stand for after the range; returns false if the iteration cannot be replayed.
  bool find_named();
  /// Adds the tensors of a list in `value`. Returns false if it is none, or if they are not the list's alone.
  static bool add_list(Record& record, NamedList list, const HostValue& value);
  bool replays_at(size_t statement, const ScopePtr& scope);
  bool matches(const ScopePtr& scope);
  /// Computes the record's numbers for the present iteration; returns false if they rule out a replay.
  bool compute_numbers(const ScopePtr& scope);
  double now(const MovingNumber& number) const;
  /// Delays the next attempt after several iterations that could not be recorded.
  void wait_after_failures();
  void follow_numbers(bool follows);
  void give_inputs(Record& record);
  void take_back(const Record& record, const graph::Values& roots, const graph::Values& before,
                 std::vector<HostValue> lists_before);
  void run(Span loop);

  Evaluator& evaluator_;
  const ast::Block& body_;
  const ast::BlockFacts& info_;
  int64_t iteration_ = 0;         ///< a node number smaller than those of all nodes of the iteration
  std::optional<Record> known_;   ///< the record of an earlier iteration
  bool is_confirmed_ = false;     ///< the iteration after `known_` had the same program
  std::optional<Record> making_;  ///< the present iteration's record; none once something rules it out
  size_t first_ = 0;              ///< records begin at this statement or a later one
  size_t last_;                   ///< records end before this statement
  size_t statement_ = 0;          ///< the present statement
  bool is_behind_ = false;        ///< the range to be recorded has ended in this iteration
  Scope* scope_ = nullptr;        ///< of the iteration
  graph::Values tensors_;         ///< the tensors that names stand for in the present iteration
  std::vector<double> given_;     ///< the record's numbers in the present iteration
  bool replays_ = false;          ///< the present iteration is replayed
  const bool carries_;            ///< see the constructor
  bool follows_numbers_ = false;  ///< the record has numbers, and its range has not ended
  int64_t iterations_, next_try_ = 0, tries_ = 0, misses_ = 0;
  int64_t effects_ = 0;  ///< records that ended at an effect inside an `if`, one after the other
};

}  // namespace mtf::eval
