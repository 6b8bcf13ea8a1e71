#pragma once
// Replay: a turn of a loop that makes the same program as the turns before is computed without being evaluated.
//
// A turn ends in a cut, which computes what its statements have added to the graph. What they add follows from what
// they read. So when two turns, one after the other, have come to the same program from values in the same places, the
// statements of later turns are not evaluated as long as everything that they could read is as it was: the plan is run
// on the variables' values of now, on the tensors that the statements' names stand for now, and on the numbers of
// random calls that have moved on; then the variables have new values.
// A range of a turn's statements is replayed. It begins with the first that finds nothing pending. It ends before the
// first that does more than add to the graph: that prints, reads a number, counts. The statements before and behind the
// range are evaluated. Those behind find the tensors that the range binds or assigns to names, computed.
//
//   for (ids, next) in batches {                      evaluated: each turn has its own
//     let loss = loss_of(net(ids), next)              replayed
//     opt.minimize(loss)                              replayed: the program has `loss` among its results
//     print(loss)                                     evaluated: nothing is left to compute
//     if step % 100 == 0 { print(loss(net(ids), next)) }    its condition is evaluated first: true, and all is
//   }
//
// What statements could read is known as follows, so that nothing has to be written down while they are evaluated.
// - Names that they mention: what each stands for is compared; tensors may be others of the same type and layout that
//   have no history.
// - What is come to through these (parts of instances, what functions see, lists): whoever changes something that was
//   made before the turn began says so (Replays), and the record of the turns is thrown away. Not of a name that no
//   function sees, such as a counter: who reads it mentions it.
// - The context (mesh, layout, precision, seed): it is compared.
// - Numbers that follow from the turn's own, as a rate that falls: those that a statement binds, or gives to a function
//   (`lr: 0.1 * optim.cosine(step, steps)`), may be others in each turn, as long as they are only handed on, to other
//   functions and into products and sums with tensors. There they are inputs of the program: those that have changed as
//   such a number has from one recorded turn to the next. They are computed before the turn is replayed.
// Whatever else statements do (print, read a tensor, call a library, make a variable, keep history for a later
// gradient) keeps the turn from being recorded. So neither a value nor an error can depend on whether a turn was
// replayed; a plan, a check, the reference evaluation and a prompt evaluate every turn.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "eval/block_info.h"
#include "eval/host_value.h"
#include "graph/node_builder.h"
#include "plan/made_cut.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;

class Replay {
 public:
  /// A loop begins. Its turns end in cuts from the first turn on that assigns a variable.
  Replay(Evaluator& evaluator, const ast::Block& body);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  /// Nothing but what the statements do speaks against it.
  static bool is_possible(const Evaluator& evaluator);

  // ---- a turn, in this order ----------------------------------------------------------------------------------------
  void begin_turn();
  /// A statement of the body begins. Returns which is to be evaluated next: this one, or one behind those that are
  /// replayed.
  size_t next_of(size_t statement, const ScopePtr& scope);
  /// The body has ended with `flow`, and nothing holds what only it held: the cut. Not called after a turn that waits.
  void end_turn(Flow flow, Span loop);

  // ---- what Replays tells -------------------------------------------------------------------------------------------
  void has_effect();
  void changes(int64_t made);
  /// A name of `owner` is about to be assigned `value`.
  void changes_name(const Binding& binding, Scope& owner, const HostValue& value);
  /// A reader cuts, at `span`: what it computes is to be written down there; null if it is not to be.
  plan::MadeCut* reader_cuts(Span span);
  void assigns(const PlacePtr& place, const std::shared_ptr<const graph::HistoryEnd>& ended);
  bool has_number(const ast::Expr& expr) const;
  bool takes_number(const ast::Expr& expr, const HostValue& value);

 private:
  /// What names stand for, one after another, tensors apart.
  struct Names {
    std::vector<HostValue> host;
    graph::Values tensors;
    bool is_known = true;  ///< nothing among them is made anew in each turn, or may change unnoticed
    void add(const HostValue& value, int64_t turn);
  };
  /// A computed tensor's type and layout, with all that what reads it follows. One that has a history, through which a
  /// gradient may go, is of one kind with itself alone. One that is only looked at has none.
  struct Kind {
    explicit Kind(const graph::Value& value);
    bool has_history() const { return operands > 0 || ended; }
    bool is_of(const graph::Value& value) const;

    graph::OperationRef operation;
    int result;
    int64_t node;  ///< in the turn recorded
    size_t operands;
    bool ended;
  };
  struct Assigned {
    PlacePtr place;
    Kind before;
    std::shared_ptr<const graph::HistoryEnd> ended;  ///< why a history ends at the value before
    graph::OperationRef after = {};                  ///< that makes the value
    Name name = {};                                  ///< of its node
  };
  /// A tensor that the range binds to a name of the turn, or assigns to a name outside that no function sees.
  struct Named {
    Name name;
    ScopePtr owner;  ///< outside; null: the turn's
    Span span;
    int64_t node = 0;                 ///< in the turn recorded
    std::optional<Kind> before = {};  ///< of a name outside
    graph::OperationRef after = {};   ///< that makes the value
    Name node_name = {};
    bool is_looked_at = false;
  };
  /// Where a turn's value of an input of its program comes from.
  struct Source {
    enum class From : uint8_t { kNumber, kSame, kVariable, kName } from = From::kSame;
    size_t index = 0;  ///< in `assigned`, in the names' tensors
    bool operator==(const Source&) const = default;
  };
  /// A number that follows from the turn's own.
  struct Number {
    const ast::Expr* expr = nullptr;
    const ast::Ident* name = nullptr;  ///< that is bound to it; null: it is an argument
    HostValue value = {};              ///< in the turn recorded
    bool moves = false;                ///< it was another in the turn before
  };
  /// A number of the program that is another in each turn.
  struct MovingNumber {
    std::shared_ptr<graph::LaidOutOperation> operation;  ///< the program's own; null: an input
    size_t index = 0;                                    ///< of the operation's numbers, of the program's inputs
    double value = 0;                                    ///< in the turn recorded
    std::optional<size_t> given = std::nullopt;  ///< which of `numbers`; none: it moves on with the random calls
  };
  /// What a turn has been.
  struct Record {
    Record() {}  ///< std::optional asks for one before Replay is complete
    bool binds_number(Name name) const;
    size_t first = 0;                          ///< statement
    size_t last = 0;                           ///< the one behind the last
    Span place;                                ///< of the cut
    int64_t last_node = 0;                     ///< that there was behind the range
    std::vector<const ast::Expr*> conditions;  ///< from there on, of which none held
    std::vector<Name> mentioned;               ///< by the other statements, but for `numbers`
    std::vector<Number> numbers;
    std::vector<HostValue> host;
    std::vector<Kind> kinds;     ///< of the names' tensors
    std::vector<size_t> firsts;  ///< which of these are the same
    graph::Context context;      ///< as they began
    double calls = 0;            ///< random ones, in a turn
    std::vector<Assigned> assigned;
    std::unordered_set<const Place*> places;  ///< these
    std::vector<Source> sources;
    std::vector<MovingNumber> moving;
    std::vector<Named> named;
    std::vector<size_t> root_of;  ///< of each root: in `assigned`, or behind that in `named`
    plan::MadeCut made;
  };

  /// An `if` without `else` at the body's own level whose condition is one of plain values that the body does not
  /// change: where it does not hold, it is as if it were not there.
  const ast::Expr* condition_of(size_t statement, const ScopePtr& scope) const;
  bool is_plain(const ast::Expr& expr, const ScopePtr& scope) const;
  bool none_holds(const std::vector<const ast::Expr*>& conditions, const ScopePtr& scope) const;
  /// The record's conditions, numbers and names, by the text.
  void find_what_is_read(Record& record, const ScopePtr& scope) const;
  /// The numbers that a statement binds, or that calls in it are given, and the names that the rest of it mentions.
  /// `bound`: how often the replayed statements bind a name. False if there is no such number.
  bool add_numbers(const ast::Stmt& stmt, const std::unordered_map<Name, int>& bound, const ScopePtr& scope,
                   Record& record, NameSet& mentioned) const;
  bool add_numbers(const ast::Expr& expr, const std::unordered_map<Name, int>& bound, const ScopePtr& scope,
                   Record& record, NameSet& mentioned) const;
  bool is_number(const ast::Expr& expr, const std::unordered_map<Name, int>& bound, const ScopePtr& scope,
                 const Record& record) const;
  Names names_of(const Record& record, const ScopePtr& scope) const;
  bool has_same_context(const Record& record) const;
  void begin_record(size_t statement, const ScopePtr& scope);
  /// The range has been evaluated, in a turn to be recorded.
  void end_range();
  /// Writes down the tensors that names stand for behind the range; false if the turn cannot be replayed.
  bool find_named();
  bool replays_at(size_t statement, const ScopePtr& scope);
  /// Its cut has been made: what it is a record of; nothing if it cannot be replayed.
  std::optional<Record> finished(Record record) const;
  static bool have_same_names(const Record& earlier, const Record& later);
  /// True if the next turn's program will be `later`'s as that is `earlier`'s, whose moving numbers it has found then.
  static bool is_repeated(const Record& earlier, Record& later);
  /// Of what has gone from `before` to `now`, between two turns and `moved` random calls: which it is. Nothing if that
  /// is not known.
  static std::optional<MovingNumber> moving(double before, double now, double moved, const Record& earlier,
                                            const Record& later);
  bool matches(const ScopePtr& scope);
  /// Computes the record's numbers for the turn under way; false if the turn is another one for it.
  bool compute_numbers(const ScopePtr& scope);
  double now(const MovingNumber& number) const;
  /// The turn could not be recorded.
  void wait_after_failures();
  void run(Span loop);

  Evaluator& evaluator_;
  const ast::Block& body_;
  const BlockInfo& info_;
  int64_t turn_ = 0;              ///< a number before all that the turn makes
  std::optional<Record> known_;   ///< of a turn before
  bool is_confirmed_ = false;     ///< and of the one after it
  std::optional<Record> making_;  ///< of the turn under way, as long as nothing speaks against it
  size_t first_ = 0;              ///< records begin with this statement, or one behind it
  size_t last_;                   ///< and end before this one
  size_t statement_ = 0;          ///< under way
  bool is_behind_ = false;        ///< the range of the turn to be recorded
  Scope* scope_ = nullptr;        ///< of the turn
  graph::Values tensors_;         ///< that the names of the turn under way stand for
  std::vector<double> given_;     ///< the record's numbers in the turn under way
  bool replays_ = false;          ///< the turn under way is replayed
  int64_t turns_ = 0, next_try_ = 0, tries_ = 0, misses_ = 0;
};

}  // namespace mtf::eval
