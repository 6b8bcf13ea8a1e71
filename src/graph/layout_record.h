#pragma once
// What the layouts of a script's values were decided from, so that they can be decided again (graph/relayout.h).
//
// A decision says how the layout of an operation's results came about: what the operation is, which decisions its
// operands' layouts came from, which rules were in force, what `@` asked, what it follows. Equal ones are one, so that
// the turns of a loop have no more than one turn. A decision stands behind all that it depends on.
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace mtf::graph {

class LayoutRecord {
 public:
  /// The layout of a result of an operation, by the number of its decision.
  struct Source {
    int32_t decision = -1;
    int32_t result = 0;
    bool operator==(const Source&) const = default;
  };
  struct Decision {
    OperationRef operation;  ///< one of those whose layout was decided so
    int32_t form = -1;  ///< what it depends on but for `operands`, `like` and its variable's path: equal, if they are
    std::vector<Source> operands;  ///< none where they do not matter
    Source like;                   ///< what it follows; decision -1: nothing
    int32_t program = -1;          ///< of kComputed: which program computed it, and as which of its roots
    int32_t root = 0;
  };

  /// Called with each node as it is added, but for those of an operation that another node was added with.
  void add(const Node& node);
  /// `operation`, which is new, says where a root of a program lies since a cut computed it for gradients alone.
  void add_computed(OperationRef operation, int32_t program, int32_t root);

  struct Variable {
    int32_t decision = 0;
    bool trainable = true;
    Span declared;  ///< its name and its type
    Span value;     ///< what it begins with
  };
  /// A param (`trainable`) or state has been declared; `operation` says what it begins with, stored as it always will
  /// be.
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
  /// Of what can still be asked for: an operation that has died gives its address to another.
  std::unordered_map<const LaidOutOperation*, int32_t> numbers_;
};

/// True if nothing says why the operation's result, which has no operands, lies where it does: a copy of what was there
/// before.
inline bool is_as_it_lies(const LaidOutOperation& operation) {
  const LayoutReason& why = operation.why;
  return operation.origin == LayoutOrigin::kGiven && operation.operands.empty() && !why.rules && !why.like &&
         !why.asked;
}

/// True if the operation gives a param or state its value of which rules by path can say how it is stored: its
/// declaration does not ask for all of its layout.
inline bool is_stored_by_rules(const LaidOutOperation& operation) {
  const LayoutReason& why = operation.why;
  return why.variable && !why.variable->path.empty() && (!why.asked || why.asked->keeps_others);
}

}  // namespace mtf::graph
