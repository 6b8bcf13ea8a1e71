#pragma once
// An operation applied: what is computed, and where its results lie. Both are immutable once made, and shared by the
// graph in which the evaluator keeps them and by every program that is captured from it.
//
// An Operation is all that the rules of a record (infer, space, gradient, kernel …) may know: the record, attributes,
// the types of operands and results, and numbers of the host. It knows neither meshes nor layouts, nor what its
// operands are. A LaidOutOperation adds the layout that was decided for each result, how it was decided (so that it can
// be decided again under other rules), and the place in the source.
//
// A number of the host that stands in an arithmetic place (a factor, a rate, a seed, the number of a random call) is an
// input of the operation: it is not part of a program's structure, so that a changing one does not make a new plan.
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
  std::vector<double> inputs;        ///< the host's numbers, not part of the structure
  std::vector<TensorType> operands;  ///< of each operand
  std::vector<TensorType> results;   ///< of each result
  /// The program that it runs in turns; null: none. What lies in it is laid out, but its operation's rules are the same
  /// however it is.
  std::shared_ptr<const Region> region = nullptr;

  /// What Op::space says of it, which is asked once. From then on op, attributes, operands and results stay as they
  /// are, of copies too.
  const IterationSpace& space() const;

 private:
  mutable std::shared_ptr<const IterationSpace> space_;
};

/// Appends what makes operations differ but for their numbers (types/key.h).
void append(std::string& key, const Operation& operation);

struct LaidOutOperation;
using OperationRef = std::shared_ptr<const LaidOutOperation>;

/// How the layout of an operation's results came about.
enum class LayoutOrigin : uint8_t {
  kRules,     ///< graph/layouts.h: from the operands and the rules in force
  kGiven,     ///< `@` or a declaration wrote it: see LayoutReason::asked
  kLike,      ///< each dim as a result of `like` has it: a gradient, a moment
  kComputed,  ///< as a cut computed it for gradients alone (plan/execution.h)
};

/// What `@` asks of a value: the split of each dim that its rules name. Of the others, that they stay as they are
/// (`..`), or are whole.
struct AskedLayout {
  Layout rules;
  bool keeps_others = false;
};

/// A param or state, as rules by path know it (StoredRule).
struct Variable {
  bool trainable = true;  ///< a param
  /// From the outermost instance that has it; empty, and no rule speaks of it, as long as that is not made. It stays
  /// empty if its value is computed before.
  std::string path = {};
};

/// What decided a layout, besides the operands.
struct LayoutReason {
  LayoutPtr rules;    ///< of kRules, and of a variable: those in force; null: none, whatever is in force
  OperationRef like;  ///< of kLike, and of a variable that is declared like another value
  int like_result = 0;
  /// Of kGiven: what `@` asked, or null. It changes where the operand lies, and a variable where `like` or `rules` say.
  std::shared_ptr<const AskedLayout> asked;
  std::shared_ptr<const Variable> variable = nullptr;  ///< of a variable
};

struct LaidOutOperation : Operation {
  MeshPtr mesh;
  std::vector<Sharding> shardings;  ///< of each result; never partial
  std::vector<AxisSet> inherited;   ///< of each result: the splits that `@` wrote, or that come from one
  LayoutOrigin origin = LayoutOrigin::kRules;
  LayoutReason why;
  bool written = true;   ///< the program wrote it: two rules on one axis are an error
  bool initial = false;  ///< of what a param or state begins with: they are none where rules by path may decide
  bool no_grad = false;  ///< made inside `no_grad`: gradients end at it
  Span span;             ///< the expression
  CallFrameRef frame;    ///< the innermost call; null outside of all, and where nobody wants to know
};

}  // namespace mtf::graph
