#pragma once
// Variables: the `param`s and `state`s of models (Place), how they are declared and assigned.
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

class Variables {
 public:
  explicit Variables(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// `param w: [a, b] = …`, in the scope of an instance. Of `none` there is no variable: the name is none.
  void declare(const ast::ParamStmt& stmt, const ScopePtr& scope);
  /// `place := value`, which stands at `span`. Every history that read the old value ends.
  void assign(const PlacePtr& place, const HostValue& value, Span span, Span statement);
  /// A variable that has been declared in a turn of a loop over a dim is one of all turns, with this dim first and this
  /// value. `stacked` says what the operation of another such variable has become.
  void stack(const PlacePtr& place, const Dim& over, const graph::Value& value,
             const std::function<graph::OperationRef(const graph::OperationRef&)>& stacked);
  /// The turns of `loop` have assigned a name of a stacked model: this is what it stands for at all places.
  void assign_name(const ScopePtr& scope, size_t index, HostValue value, Span loop);
  /// A value as what a name or variable of this type is given: `what`, declared at `declared`. Fails if it is of
  /// another type (assign_type_changed).
  graph::Value converted(const HostValue& value, const TensorType& type, Span span, std::string_view what,
                         Span declared);
  /// An outermost instance has been made, and all before it: the variables that have been declared since the last have
  /// their paths, and are stored as the rules say for those. So are values that were made of them, of the nodes from
  /// the number `first_node` on.
  void paths_are_complete(int64_t first_node);
  /// Variables that have no path yet; of them, all behind the first `kept` will have none.
  size_t unnamed() const { return unnamed_.size(); }
  void forget_unnamed(size_t kept) { unnamed_.resize(std::min(kept, unnamed_.size())); }
  /// The number of the variable that was declared last; they ascend from 1.
  int64_t last() const { return last_; }
  /// Those that are declared from here on are numbered behind those of `other`.
  void number_behind(const Variables& other) { last_ = std::max(last_, other.last_); }
  const StoredVariables& stored() const { return stored_; }

 private:
  /// Its type, and where it is stored. Gives the value of the name if what those depend on is in error or unknown.
  std::optional<HostValue> lay_out(Place& place, const ast::ParamStmt& stmt, const ScopePtr& scope);
  /// What it begins with, of its element type and dims, by the value that its declaration gives.
  graph::Value initial(const Place& place, const ast::ParamStmt& stmt, HostValue value);

  /// The rule by path does not say how it is stored: it was computed too early.
  void warn_of_early(const Place& place, const StoredRule& rule);

  Evaluator& evaluator_;
  int64_t last_ = 0;
  std::vector<PlacePtr> unnamed_;  ///< that belong to an instance which is being made
  StoredVariables stored_;
};

/// What has been declared while it lives, and has no path when it ends, will have none.
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
