#pragma once
// Host values that go into a turn of a loop over a dim (eval/turns.h), and host values that come out of one.
//
//   into      PlacedValue copies a value with the dim: leaves stand for places of its tensors and variables
//   out of    LeftByTurn finds the tensors and variables of the turn in a value that outlives the turn
//
// Functions and models hold scopes. A scope that a turn has made and that outlives the turn belongs to all places of
// the dim (Scope::stacked_over), as a variable with the dim does: its tensors are stacked, and another loop over the
// dim copies the scope. All other scopes are outside of every place: functions that hold them stay as they are.
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "eval/cuts.h"
#include "eval/host_library.h"
#include "eval/scope.h"

namespace mtf::eval {

/// Where something stands in a value made of tuples and lists: `the carry`, `the carry[0]`.
std::string part_of(std::string_view what, size_t i);

/// A value of a turn that stands for one place of a value with the dim: `x` of scan's function.
class PlacedValue {
 public:
  PlacedValue(Caller& caller, const Dim& over, Span span) : caller_(caller), over_(over), span_(span) {}
  PlacedValue(const PlacedValue&) = delete;
  PlacedValue& operator=(const PlacedValue&) = delete;
  /// Empties the scopes that it has made: functions hold the scopes that hold them.
  ~PlacedValue();

  graph::Values all;              ///< what has the dim
  graph::Values leaves;           ///< what stands in for a place of each
  std::vector<PlacePtr> places;   ///< variables of the turn
  std::vector<PlacePtr> stacked;  ///< by variable of the turn: the variable with the dim
  std::vector<size_t> all_of;     ///< by variable of the turn: its index in `all`

  /// A place of the value, which messages call `what`.
  HostValue of(const HostValue& value, std::string_view what);

  /// The value of which `copy` stands for a place: a variable, a model, a function, a list. Null if it is no copy.
  const HostValue* original(const HostValue& copy) const;
  /// The scope of which `copy` stands for a place, or null.
  ScopePtr original(const Scope& copy) const;

  /// A name of a stacked model, or of a function that belongs to one, which the turn has assigned.
  struct AssignedInTurn {
    ScopePtr scope;    ///< of the model
    size_t index;      ///< of its binding
    HostValue* value;  ///< in the turn
  };
  std::vector<AssignedInTurn> assigned_names() const;

 private:
  /// A scope of the turn, and the scope of which it stands for a place.
  struct Copy {
    ScopePtr was, own;
    std::vector<bool> bindings, hoisted;  ///< which of them stand for places
    std::vector<HostValue> began;         ///< what the bindings began with
    bool may_assign = false;              ///< the names belong to the loop's dim
  };

  graph::Value place_of(const graph::Value& tensor);
  bool has_dim_first(const Dims& dims) const { return !dims.empty() && dims[0] == over_; }
  /// The same inside a model: what lacks the dim stays as it is.
  HostValue within(const HostValue& value);
  HostValue variable(const PlacePtr& place);
  HostValue list(const ListPtr& list);
  HostValue instance(const InstancePtr& instance);
  /// Of a function or a model that is written in a scope which is copied.
  template <typename T>
  HostValue written_in(const std::shared_ptr<T>& what);
  bool is_copied(const Scope* scope) const;
  Copy& copy_of(const ScopePtr& scope);
  void place_binding(Copy& copy, size_t index);
  void place_hoisted(Copy& copy, size_t index);
  HostValue made(const void* from, HostValue copy, const void* copied, const HostValue& original);

  Caller& caller_;
  const Dim over_;
  const Span span_;
  std::unordered_map<const void*, HostValue> known_;      ///< by the original
  std::unordered_map<const void*, HostValue> originals_;  ///< by the copy
  std::vector<std::unique_ptr<Copy>> copies_;
  std::unordered_map<const Scope*, Copy*> copies_by_scope_;  ///< by the original, and by the copy
};

/// Finds what a turn has made in values that outlive it.
class LeftByTurn {
 public:
  /// `placed`: what stands in for places in the turn, or null.
  LeftByTurn(const Turn& turn, const Dim& over, const PlacedValue* placed)
      : turn_(turn), over_(over), placed_(placed) {}

  /// The value outlives the turn: its scopes belong to all places of the dim, and what stands for a place of something
  /// in it becomes that.
  void add(HostValue& value);

  std::vector<HostValue*> tensors;  ///< where they are held; what is there is to be stacked
  std::vector<PlacePtr> variables;  ///< in the order of their declarations, after sort()
  void sort();

 private:
  bool is_of_turn(const Scope& scope) const { return scope.parent && scope.number >= turn_.first; }
  /// What the text of a function or model names of the scopes of the turn in which it is written.
  void add_named(const void* what, const ast::FunctionText& text, const ScopePtr& scope, size_t visible);
  void visit(HostValue& value);

  const Turn& turn_;
  const Dim over_;
  const PlacedValue* placed_;
  std::vector<HostValue*> waiting_;
  std::unordered_set<const void*> seen_;
};

}  // namespace mtf::eval
