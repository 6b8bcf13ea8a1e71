#pragma once
// The running loops whose iterations may be replayed (eval/replay.h). The evaluator reports everything to them that it
// does besides reading host values and adding to the graph. Each effect passes one place, which reports it:
//
//   a statement, by its form          Evaluator::statement
//   a host function, by its record    Calls::call
//   a cut                             Cuts::cut
//   the assignment of a name          Variables::set
//   the assignment of a variable      Variables::assign
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "eval/host_value.h"
#include "support/restore.h"
#include "syntax/ast.h"

namespace mtf::plan {
struct MadeCut;  // plan/made_cut.h
}

namespace mtf::eval {

class Replay;
class Scope;
struct Binding;

class Replays {
 public:
  /// Reports the effects of a call or a statement. A replay would not repeat them.
  void has(Effects effects) {
    if (!loops_.empty() && !effects.none()) [[unlikely]]
      tell_effect();
  }
  /// Reports that a name of `owner` is about to be assigned `value`.
  void changes_name(const Binding& binding, Scope& owner, const HostValue& value) {
    if (!loops_.empty()) tell_name(binding, owner, value);
  }
  /// Reports a cut at `span`. Returns the object in which the cut should record itself, or null. `made`: that of the
  /// end of an iteration; null for a reader.
  plan::MadeCut* cuts(Span span, plan::MadeCut* made) {
    has(Effects::kReads);
    return made != nullptr || loops_.empty() ? made : tell_reader(span);
  }
  /// True if the iteration may have numbers of its own (Replay::Number). Such a number may only go to script functions,
  /// to names, and into products and sums with tensors.
  bool follows_numbers() const { return follows_numbers_; }
  /// Evaluates `expr` if it stands for such a number, and sets `is_number` if its value is one. Returns nothing for any
  /// other expression.
  template <typename Evaluate>
  std::optional<HostValue> number(const ast::Expr& expr, const Evaluate& evaluate, bool& is_number) {
    if (!has_number(expr)) return std::nullopt;
    const Restore computes(computes_number_, true);
    HostValue value = evaluate();
    is_number = takes_number(expr, value);
    return value;
  }
  /// Reports that a number of the iteration (Replay::Number) goes anywhere else.
  void reads_number() {
    if (!computes_number_) has(Effects::kReads);
  }
  /// Reports a call of anything but a function of the script.
  void reads_numbers(const Arguments& arguments) {
    if (!follows_numbers_) [[likely]]
      return;
    for (const GivenArgument& item : arguments.items)
      if (item.is_iterations_number) reads_number();
  }
  /// Called before a node is added, which happens only in its place, although no loop has to hear of it. Like each
  /// report, it ends an evaluation ahead (Replay::ahead).
  void happens_in_place() const {
    if (ahead_from_ > 0) throw HappensInPlace{};
  }
  /// Called before a loop or a comprehension walks so many items. An evaluation ahead walks few, because it may be in
  /// vain.
  void walks(int64_t items) {
    if (ahead_from_ == 0) return;
    if (items > items_ahead_) happens_in_place();
    items_ahead_ -= items;
  }
  /// For items whose number is unknown, or that can be walked only once.
  static constexpr int64_t kMany = INT64_MAX;
  /// True in an evaluation ahead.
  bool is_ahead() const { return ahead_from_ > 0; }
  /// Reports that a variable is about to be assigned. `ended` says why histories end at its old value.
  void assigns(const VariablePtr& variable, const std::shared_ptr<const graph::HistoryEnd>& ended) {
    if (!loops_.empty()) tell_assigned(variable, ended);
  }

 private:
  friend class Replay;
  struct HappensInPlace {};
  /// Ends an evaluation ahead if an object of before it, made just after node `made`, changes.
  void changes_in_place(int64_t made) const {
    if (made < ahead_from_) throw HappensInPlace{};
  }
  void now_follows_numbers();
  /// True if `expr` stands for a number of an iteration.
  bool has_number(const ast::Expr& expr) const;
  /// Notes the value of such an expression. Returns false if it is no number.
  bool takes_number(const ast::Expr& expr, const HostValue& value);
  /// The statements between which the records of a loop's iterations last began and ended.
  struct Range {
    size_t first, last;
  };
  void tell_effect();
  void tell_name(const Binding& binding, Scope& owner, const HostValue& value);
  plan::MadeCut* tell_reader(Span span);
  void tell_assigned(const VariablePtr& variable, const std::shared_ptr<const graph::HistoryEnd>& ended);

  std::vector<Replay*> loops_;    ///< from the outermost on
  bool follows_numbers_ = false;  ///< one of them does
  bool computes_number_ = false;  ///< the evaluator is computing a number from other numbers of the iteration
  int64_t ahead_from_ = 0;        ///< in an evaluation ahead: a node number between those before and in it
  int64_t items_ahead_ = 0;       ///< how many items it may still walk
  std::unordered_map<const ast::Block*, Range> ranges_;
};

}  // namespace mtf::eval
