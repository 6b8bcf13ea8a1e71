#pragma once
// An applied operation: its computation, and the layouts of its results. Both are immutable. The evaluator's graph and
// all programs captured from it share them.
//
// An Operation contains everything that the rules of a record (infer, space, gradient, kernel …) may know: the record,
// attributes, types of operands and results, and numbers of the host. It knows neither meshes nor layouts nor the
// values of its operands. A LaidOutOperation adds the layout of each result, the reason for the layout (so that it can
// be decided again under other rules), and the source position.
//
// A number of the host that is only used in arithmetic (a factor, a rate, a seed, the number of a random call) is an
// input of the operation. It is not part of a program's structure, so a new number does not require a new plan.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/attributes.h"
#include "graph/call_frame.h"
#include "support/source.h"
#include "types/dim.h"
#include "types/layout.h"
#include "types/mesh.h"
#include "types/sharding.h"

namespace mtf::graph {

struct IterationSpace;  // graph/iteration_space.h
struct Region;          // graph/region.h

struct Operation {
  const Op* op = nullptr;
  Attributes attributes;
  std::vector<double> inputs;        ///< numbers of the host, not part of the structure
  std::vector<TensorType> operands;  ///< types of the operands
  std::vector<TensorType> results;   ///< types of the results
  /// The program that it runs once for each iteration; null: none. Its values have layouts, but the operation's rules
  /// do not depend on them.
  std::shared_ptr<const Region> region = nullptr;

  /// Returns the result of Op::space, which is called once. After that, op, attributes, operands and results must not
  /// change, not even in copies.
  const IterationSpace& space() const;

 private:
  mutable std::shared_ptr<const IterationSpace> space_;
};

/// Appends a key that differs for operations that differ in more than their numbers (types/key.h).
void append(std::string& key, const Operation& operation);

struct LaidOutOperation;
using OperationRef = std::shared_ptr<const LaidOutOperation>;

/// The origin of the layout of an operation's results.
enum class LayoutOrigin : uint8_t {
  kRules,     ///< the operands and the rules in force: graph/layouts.h
  kGiven,     ///< `@`, a rule by path or a declaration: see LayoutReason::asked
  kLike,      ///< each dim copies the split of a result of `like`: a gradient, a moment
  kComputed,  ///< a cut computed it for gradients alone (plan/execution.h)
};

/// The request of `@`: a split for each dim that its rules name. Other dims keep their splits (`..`), or are
/// replicated. Or the request of the layout's rule for the results of calls at a path: other dims keep their splits,
/// and consumers decide by their own rules instead of inheriting the request.
struct AskedLayout {
  Layout rules;
  bool keeps_others = false;
  std::string path = {};  ///< of the called instance; empty: behind `@`
};

/// A param or state, as rules by path (PathRule) see it.
struct Variable {
  bool trainable = true;  ///< a param
  /// The path from the outermost instance that contains it. It is empty until that instance is made, and no rule
  /// applies to it until then. It stays empty if the value is computed before.
  std::string path = {};
};

/// The reasons for a layout, besides the operands.
struct LayoutReason {
  LayoutPtr rules;    ///< of kRules and of variables: the rules in force; null: none
  OperationRef like;  ///< of kLike, and of a variable declared like another value
  int like_result = 0;
  /// Of kGiven: the request of `@` or of a rule by path, or null. It changes the operand's layout, or a variable's
  /// layout by `like` or `rules`.
  std::shared_ptr<const AskedLayout> asked;
  std::shared_ptr<const Variable> variable = nullptr;  ///< of a variable
};

struct LaidOutOperation : Operation {
  MeshPtr mesh;
  std::vector<Sharding> shardings;  ///< for each result; never partial
  std::vector<AxisSet> inherited;   ///< for each result: the splits that come from `@`
  LayoutOrigin origin = LayoutOrigin::kRules;
  LayoutReason why;
  bool written = true;   ///< the program wrote it: two rules on one axis are an error
  bool initial = false;  ///< part of a variable's initial value: no such error if rules by path may decide its layout
  bool no_grad = false;  ///< made inside `no_grad`: gradients end at it
  Span span;             ///< the expression
  CallFrameRef frame;    ///< the innermost call; null outside all calls, or if frames are not recorded
};

}  // namespace mtf::graph
