#pragma once
// Host values that enter an iteration of a loop over a dim (eval/scan.h), and host values that leave it.
//
//   enter     PlacedValue copies a value with the dim: leaves stand for one position of its tensors and variables
//   leave     LeftByIteration finds the iteration's tensors and variables in a value that outlives the iteration
//
// Functions and models hold scopes. The iteration is evaluated once, for all positions of the dim. A scope that it
// makes and that outlives it therefore belongs to all positions (Scope::stacked_over), like a variable with the dim.
// The scope's tensors are stacked, and another loop over the dim copies the scope. All other scopes belong to no
// position; functions that hold them are not copied.
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

/// Names an item of a tuple or list in messages: `the carry[0]` for the first item of `the carry`.
std::string part_of(std::string_view what, size_t i);

/// Returns the dims of layers that are stored in chunks, for a pipeline whose schedule is interleaved: `layers'`, the
/// chunks, and `layers`, those of a chunk. Layers in their order are [chunks, layers of a chunk] in theirs.
Dims dims_in_chunks(const Dim& over, int64_t chunks);

/// Makes the value that stands, in the iteration, for one position of a value with the dim: `x` of scan's function.
class PlacedValue {
 public:
  PlacedValue(Caller& caller, const Dim& over, Span span) : caller_(caller), over_(over), span_(span) {}
  PlacedValue(const PlacedValue&) = delete;
  PlacedValue& operator=(const PlacedValue&) = delete;
  /// Clears the copied scopes, because functions and their scopes hold each other.
  ~PlacedValue();

  graph::Values all;                   ///< the tensors with the dim
  graph::Values leaves;                ///< for each of `all`: the leaf that stands for one position
  std::vector<VariablePtr> variables;  ///< the iteration's variables
  std::vector<VariablePtr> stacked;    ///< for each of `variables`: the variable with the dim
  std::vector<size_t> all_of;          ///< for each of `variables`: its index in `all`

  /// Returns one position of the value. Messages call the value `what`.
  HostValue of(const HostValue& value, std::string_view what);

  /// Returns the original of a copied variable, model, instance, function or list; null if `copy` is no copy.
  const HostValue* original(const HostValue& copy) const;
  /// Returns the original of a copied scope, or null.
  ScopePtr original(const Scope& copy) const;

  /// A name of a stacked model, or of a function of such a model, that the iteration has assigned.
  struct AssignedInIteration {
    ScopePtr scope;    ///< the original scope
    size_t index;      ///< of the binding
    HostValue* value;  ///< in the iteration
  };
  std::vector<AssignedInIteration> assigned_names() const;

 private:
  /// A scope (`was`) and its copy for the iteration (`own`).
  struct Copy {
    ScopePtr was, own;
    std::vector<bool> bindings, hoisted;  ///< which of them have been replaced by one position
    std::vector<HostValue> began;         ///< the initial values of the bindings
    bool may_assign = false;              ///< the scope belongs to the loop's dim
  };

  graph::Value place_of(const graph::Value& tensor);
  bool has_dim_first(const Dims& dims) const { return !dims.empty() && (dims[0] == over_ || is_in_chunks(dims)); }
  bool is_in_chunks(const Dims& dims) const;
  /// Like `of`, for values inside a model: values without the dim are not copied.
  HostValue within(const HostValue& value);
  HostValue variable(const VariablePtr& variable);
  HostValue list(const ListPtr& list);
  HostValue instance(const InstancePtr& instance);
  /// Returns a copy of a function or model if the scope in which it is written is copied, else `what`.
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
  std::unordered_map<const void*, HostValue> known_;      ///< copies by original
  std::unordered_map<const void*, HostValue> originals_;  ///< originals by copy
  std::vector<std::unique_ptr<Copy>> copies_;
  std::unordered_map<const Scope*, Copy*> copies_by_scope_;  ///< by original scope and by copied scope
};

/// Finds the tensors and variables that an iteration has made, in values that outlive it.
class LeftByIteration {
 public:
  /// `placed` has the copies that the iteration uses, or is null.
  LeftByIteration(const Iteration& iteration, const Dim& over, const PlacedValue* placed)
      : iteration_(iteration), over_(over), placed_(placed) {}

  /// Adds a value that outlives the iteration. Replaces copies in the value by their originals, and marks the value's
  /// scopes as belonging to all positions of the dim.
  void add(HostValue& value);

  std::vector<HostValue*> tensors;     ///< pointers to the values that must be stacked
  std::vector<VariablePtr> variables;  ///< after sort(): in the order of their declarations
  void sort();

 private:
  bool is_of_iteration(const Scope& scope) const { return scope.parent && scope.number >= iteration_.first; }
  /// Adds the values of names that the text of a function or model mentions, if scopes of the iteration bind them.
  void add_named(const void* what, const ast::FunctionFacts& facts, const ScopePtr& scope, size_t visible);
  void visit(HostValue& value);

  const Iteration& iteration_;
  const Dim over_;
  const PlacedValue* placed_;
  std::vector<HostValue*> waiting_;
  std::unordered_set<const void*> seen_;
};

}  // namespace mtf::eval
