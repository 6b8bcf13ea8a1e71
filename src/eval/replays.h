#pragma once
// The loops under way whose turns may be replayed (eval/replay.h), and what they must be told: whatever an evaluation
// does besides reading values of the host and adding to the graph.
#include <cstdint>
#include <memory>
#include <vector>

#include "eval/host_value.h"
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
  /// Something has been done that a replay would not do: it has printed, computed, read a file, made a variable.
  void has_effect() {
    if (!loops_.empty()) [[unlikely]]
      tell_effect();
  }
  /// What was made behind node `made` (Scope::number) has changed.
  void changes(int64_t made) {
    if (!loops_.empty()) tell_change(made);
  }
  /// A name of `owner` is about to be assigned `value`.
  void changes_name(const Binding& binding, Scope& owner, const HostValue& value) {
    if (!loops_.empty()) tell_name(binding, owner, value);
  }
  /// A cut is made for a reader at `span`: where a loop wants to have written down what it does, or null.
  plan::MadeCut* reader_cuts(Span span) { return loops_.empty() ? nullptr : tell_reader(span); }
  /// There may be numbers of a turn (Replay::Number). They may only be handed on: to functions of scripts, to names,
  /// and into products and sums with tensors.
  bool follows_numbers() const { return follows_numbers_; }
  bool has_number(const ast::Expr& expr) const;
  /// One has been computed; false if it is no number.
  bool takes_number(const ast::Expr& expr, const HostValue& value);
  /// One is read, but not to be handed on.
  void reads_number() {
    if (!computes_number) has_effect();
  }
  bool computes_number = false;  ///< what is read meanwhile goes into another number of the turn
  /// A variable is about to be assigned: at the value that it has, histories end because of `ended`.
  void assigns(const PlacePtr& place, const std::shared_ptr<const graph::HistoryEnd>& ended) {
    if (!loops_.empty()) tell_assigned(place, ended);
  }

 private:
  friend class Replay;
  void tell_effect();
  void tell_change(int64_t made);
  void tell_name(const Binding& binding, Scope& owner, const HostValue& value);
  plan::MadeCut* tell_reader(Span span);
  void tell_assigned(const PlacePtr& place, const std::shared_ptr<const graph::HistoryEnd>& ended);

  std::vector<Replay*> loops_;  ///< from the outermost on
  bool follows_numbers_ = false;
};

}  // namespace mtf::eval
