#pragma once
// The facts from which the layouts of a script's values were decided, so that they can be decided again
// (graph/relayout.h).
//
// A decision records how the layout of an operation's results came about. It contains the operation, the decisions
// about its operands, the rules in force, the request of `@`, and the value whose layout it copies. Equal decisions are
// stored once, so all iterations of a loop share the decisions of one. A decision comes after all decisions that it
// depends on.
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace mtf::graph {

class LayoutRecord {
 public:
  /// The layout of one result of an operation, by the index of the operation's decision.
  struct Source {
    int32_t decision = -1;
    int32_t result = 0;
    bool operator==(const Source&) const = default;
  };
  struct Decision {
    OperationRef operation;  ///< one of the operations with this decision
    int32_t form = -1;  ///< number of everything it depends on except `operands`, `like` and its variable's path; equal
                        ///< for equal contents
    std::vector<Source> operands;  ///< empty if they do not matter
    Source like;                   ///< the value whose layout it copies; decision -1: none
    int32_t program = -1;          ///< of kComputed: the program that computed it, and the index of the root there
    int32_t root = 0;
  };

  /// Records a node when it is added. Nodes that share an operation with an earlier node are left out.
  void add(const Node& node);
  /// Records that a cut computed a root for gradients alone; the new `operation` has the root's layout.
  void add_computed(OperationRef operation, int32_t program, int32_t root);

  struct Variable {
    int32_t decision = 0;
    bool trainable = true;
    Span declared;  ///< its name and type
    Span value;     ///< its initial value
  };
  /// Records the declaration of a param (`trainable`) or state. `operation` is its initial value, in the layout in
  /// which the variable is stored.
  void add_variable(const LaidOutOperation& operation, bool trainable, Span declared, Span value) {
    variables_.push_back({decision_of(operation), trainable, declared, value});
  }

  int32_t decision_of(const LaidOutOperation& operation) const { return numbers_.at(&operation); }
  const std::vector<Decision>& decisions() const { return decisions_; }
  const std::vector<Variable>& variables() const { return variables_; }

 private:
  int32_t number_of(std::string key, Decision decision);

  std::vector<Decision> decisions_;
  std::vector<Variable> variables_;
  std::unordered_map<std::string, int32_t> forms_;
  std::unordered_map<std::string, int32_t> known_;
  /// Only for living operations, because a new operation may get the address of a dead one.
  std::unordered_map<const LaidOutOperation*, int32_t> numbers_;
};

/// True if an operation has no operands and no recorded reason for its layout: it is a copy of an existing value.
inline bool is_as_it_lies(const LaidOutOperation& operation) {
  const LayoutReason& why = operation.why;
  return operation.origin == LayoutOrigin::kGiven && operation.operands.empty() && !why.rules && !why.like &&
         !why.asked;
}

/// True if the operation gives a param or state its value, and rules by path can decide its layout. They can unless the
/// declaration asks for a complete layout.
inline bool is_stored_by_rules(const LaidOutOperation& operation) {
  const LayoutReason& why = operation.why;
  return why.variable && !why.variable->path.empty() && (!why.asked || why.asked->keeps_others);
}

}  // namespace mtf::graph
