#pragma once
// The record of a loop iteration: what its program read and what it made. Replay (eval/replay.h) makes a record,
// compares the records of two consecutive iterations, and gives the program of a repeated record its new inputs.
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "eval/host_value.h"
#include "graph/node_builder.h"
#include "plan/made_cut.h"
#include "syntax/ast.h"

namespace mtf::eval {

struct IterationRecord {
  /// The properties of a computed tensor that its consumers depend on: type, layout and the rules behind the layout.
  /// A tensor with a history, through which a gradient may pass, has the same kind only as itself. A tensor that is
  /// only looked at has no history.
  struct Kind {
    explicit Kind(const graph::Value& value);
    bool has_history() const { return operands > 0 || ended; }
    bool is_of(const graph::Value& value) const;

    graph::OperationRef operation;
    int result;
    int64_t node;  ///< in the recorded iteration
    size_t operands;
    bool ended;
  };
  struct Assigned {
    VariablePtr variable;
    Kind before;
    std::shared_ptr<const graph::HistoryEnd> ended;  ///< why a history ends at the old value
    graph::OperationRef after = {};                  ///< the operation that makes the new value
    Name name = {};                                  ///< of the new value's node
  };
  /// A tensor that the range binds to a name of the iteration, or assigns to an outer name that no function sees.
  struct Named {
    Name name;
    ScopePtr owner;  ///< an outer scope; null: the iteration's scope
    Span span;
    int64_t node = 0;                 ///< in the recorded iteration
    std::optional<Kind> before = {};  ///< of an outer name's old value
    graph::OperationRef after = {};   ///< the operation that makes the value
    Name node_name = {};
    bool is_looked_at = false;
    bool is_in_list = false;
  };
  /// A list that the range binds or assigns in the same way. Its tensors are consecutive `named` of the record.
  struct NamedList {
    Name name;
    ScopePtr owner;  ///< an outer scope; null: the iteration's scope
    Span span;
    size_t first = 0;     ///< of its tensors
    HostValue form = {};  ///< the list with `none` in the place of each tensor
  };
  /// Where an iteration takes the value of a program input from.
  struct Source {
    enum class From : uint8_t { kNumber, kSame, kVariable, kName } from = From::kSame;
    size_t index = 0;  ///< in `assigned` (kVariable), or in the names' tensors (kName)
    bool operator==(const Source&) const = default;
  };
  /// A number computed from the iteration's own numbers.
  struct Number {
    const ast::Expr* expr = nullptr;
    const ast::Ident* name = nullptr;  ///< the name bound to the number; null: it is an argument
    HostValue value = {};              ///< in the recorded iteration
    bool moves = false;                ///< differed in the iteration before
  };
  /// A number of the program that differs in each iteration.
  struct MovingNumber {
    std::shared_ptr<graph::LaidOutOperation> operation;  ///< the operation that has the number; null: a program input
    size_t index = 0;                                    ///< in the operation's numbers or the program's inputs
    double value = 0;                                    ///< in the recorded iteration
    std::optional<size_t> given = std::nullopt;          ///< index in `numbers`; none: it counts random calls
  };
  /// The condition of an `if` in the range.
  struct Condition {
    const ast::Expr* expr;
    bool holds;  ///< in the recorded iteration
    bool operator==(const Condition&) const = default;
  };

  /// Completes the record after its cut: finds the source of each input, and the name or variable of each result.
  /// `iteration` is a node number below all of the iteration's nodes. Returns false if the iteration cannot be
  /// replayed.
  bool finish(int64_t iteration);
  /// True if the names that the statements mention have the same values in both iterations.
  bool has_same_names(const IterationRecord& other) const;
  /// True if this iteration repeats the program of `earlier`, so that the next iteration can replay it. Then sets the
  /// moving numbers.
  bool repeats(const IterationRecord& earlier);
  bool binds_number(Name name) const;
  void works_at(size_t statement) { first_work = std::min(first_work, statement); }
  size_t first = 0;                   ///< first statement of the range
  size_t last = 0;                    ///< one past the last statement of the range
  size_t first_work = SIZE_MAX;       ///< the first statement that changed something that a replay changes
  Span place;                         ///< of the cut
  int64_t last_node = 0;              ///< the last node at the end of the range
  std::vector<Condition> conditions;  ///< in the range
  std::vector<Name> mentioned;        ///< by statements, except in `numbers` and `conditions`
  std::vector<Number> numbers;
  std::vector<HostValue> host;
  std::vector<Kind> kinds;     ///< of the names' tensors
  std::vector<size_t> firsts;  ///< for each of these tensors: the index of the first equal one
  graph::Context context;      ///< at the beginning of the range
  double calls = 0;            ///< random calls in an iteration
  std::vector<Assigned> assigned;
  std::unordered_set<const Variable*> variables;  ///< the variables in `assigned`
  std::vector<Source> sources;
  std::vector<MovingNumber> moving;
  std::vector<Named> named;
  std::vector<NamedList> lists;
  std::vector<size_t> root_of;  ///< for each root: its index in `assigned` followed by `named`
  plan::MadeCut made;
  bool is_finished = false;  ///< it holds no values of its iteration

 private:
  /// Finds the numbers that differ between the programs of two iterations. Returns false if one has no known source.
  bool finds_moving_numbers(const IterationRecord& earlier);
  /// Classifies how a number changed since the iteration before. `moved` is the number of random calls between the two.
  /// Returns nothing if no rule, or more than one, explains the change.
  std::optional<MovingNumber> how_it_moved(double before, double now, double moved,
                                           const IterationRecord& earlier) const;
};

bool have_same_bits(double a, double b);
/// True for equal texts, numbers with the same bits, and otherwise for the same object.
bool are_same(const HostValue& a, const HostValue& b);

}  // namespace mtf::eval
