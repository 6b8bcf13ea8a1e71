#pragma once
// Declares and assigns variables: the `param`s and `state`s of models (Variable).
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "eval/host_value.h"
#include "eval/stored_variables.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;
struct Binding;

class Variables {
 public:
  explicit Variables(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Declares `param w: [a, b] = …` in the scope of an instance. If the initial value is `none`, there is no variable,
  /// and the name is bound to `none`.
  void declare(const ast::ParamStmt& stmt, const ScopePtr& scope);
  /// Assigns `variable := value`. The value stands at `span`. Ends every history that read the old value.
  void assign(const VariablePtr& variable, const HostValue& value, Span span, Span statement);
  /// Turns a variable that an iteration of a loop over a dim has declared into one variable for all iterations. Its
  /// first dims are then `over`, and its value `value`. `stacked` maps the operation of another such variable to its
  /// new operation.
  void stack(const VariablePtr& variable, const Dims& over, const graph::Value& value,
             const std::function<graph::OperationRef(const graph::OperationRef&)>& stacked);
  /// Assigns a name of a stacked model that the iterations of `loop` have assigned. `value` is the stacked value.
  void assign_name(const ScopePtr& scope, size_t index, HostValue value, Span loop);
  /// Assigns a name of `owner`. Each assignment of a name passes here, so that replays, `counters`, the joins of a
  /// check and undo hear of it.
  void set(Binding& binding, Scope& owner, HostValue&& value);
  /// Converts a value to the type of the name or variable that it is assigned to. Messages call the name or variable
  /// `what`; it was declared at `declared`. Fails (assign_type_changed) if the value has another type.
  graph::Value converted(const HostValue& value, const TensorType& type, Span span, std::string_view what,
                         Span declared);
  /// Called when an outermost instance is finished, so that its variables have their final paths. Gives these variables
  /// the layouts of the rules for their paths. Then decides the layouts anew for pending values that depend on the
  /// variables, among the nodes from number `first_node` on. The functions that decided the layouts first decide them
  /// again (graph/relayout.h). So no model has to know how its variables will be stored. A variable that has already
  /// been computed, because the host read it, keeps its layout. A warning says so.
  void paths_are_complete(int64_t first_node);
  /// The number of variables without a path.
  size_t unnamed() const { return unnamed_.size(); }
  /// Drops all but the first `kept` variables without a path: the dropped ones will never have one.
  void forget_unnamed(size_t kept) { unnamed_.resize(std::min(kept, unnamed_.size())); }
  /// The number of the variable that was declared last. Numbers ascend from 1.
  int64_t last() const { return last_; }
  /// Numbers new variables after all those of `other`.
  void number_behind(const Variables& other) { last_ = std::max(last_, other.last_); }
  const StoredVariables& stored() const { return stored_; }

 private:
  /// Sets the type and layout of a variable. If they depend on an error or an unknown value, returns the value (Poison
  /// or unknown) to which the name must be bound instead.
  std::optional<HostValue> lay_out(const VariablePtr& declared, const ast::ParamStmt& stmt, const ScopePtr& scope);
  /// Returns the initial value, with the variable's element type and dims, from the value in its declaration.
  graph::Value initial(const Variable& variable, const ast::ParamStmt& stmt, HostValue value);

  /// Warns that `rule` has no effect on a variable, because its initial value was computed before it had a path.
  void warn_of_early(const Variable& variable, const PathRule& rule);

  Evaluator& evaluator_;
  int64_t last_ = 0;
  std::vector<VariablePtr> unnamed_;  ///< variables of instances that are being made
  StoredVariables stored_;
};

/// At its end, drops the variables that were declared during its lifetime and still have no path.
class ForgetsUnnamed {
 public:
  explicit ForgetsUnnamed(Variables& variables) : variables_(variables), before_(variables.unnamed()) {}
  ~ForgetsUnnamed() { variables_.forget_unnamed(before_); }
  ForgetsUnnamed(const ForgetsUnnamed&) = delete;
  ForgetsUnnamed& operator=(const ForgetsUnnamed&) = delete;

 private:
  Variables& variables_;
  const size_t before_;
};

}  // namespace mtf::eval
