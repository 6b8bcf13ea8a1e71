#pragma once
// The samples of a record (Op::samples), as scripts.
#include <map>
#include <string>
#include <vector>

#include "compare.h"
#include "graph/op.h"
#include "script.h"

namespace mtf::properties {

/// The sizes of the dims a, b, c and d of samples.
struct Sizes {
  int64_t a, b, c, d;
};
/// Sizes that no mesh divides; sizes that most meshes divide; sizes that are all equal, so that only names distinguish
/// dims; and sizes around the length of a vector register.
inline constexpr Sizes kUneven = {5, 7, 4, 3};
inline constexpr Sizes kEven = {12, 6, 4, 8};
inline constexpr Sizes kEqual = {6, 6, 6, 6};
inline constexpr Sizes kMisaligned[] = {{1, 15, 16, 17}, {16, 17, 1, 15}, {17, 16, 15, 1}, {15, 4, 17, 16}};

struct SampleInput {
  std::string name;
  ElementType element = ElementType::kF32;
  std::string dims;       ///< `[a, b]`
  std::string low, high;  ///< bounds, as text
};

/// One line of a record's samples.
struct Sample {
  const graph::Op* op = nullptr;
  std::string line;
  std::string declarations;       ///< `dim bc = b * c`, one per line
  std::vector<std::string> dims;  ///< the ones of a, b, c and d that it uses
  std::vector<SampleInput> inputs;
  std::string expression;

  /// The script `let result = expression`, for these sizes. Inputs of f32 are of type `real`.
  Script script(const Sizes& sizes, ElementType real = ElementType::kF32) const;
  /// Returns the inputs that may have a gradient, in a script made for `real`.
  std::vector<std::string> real_inputs() const;
};

std::vector<Sample> samples_of(const graph::Op& op);

/// Adds the gradient of a number computed from the result to the script's results. Returns false if the record says
/// that the operation has no gradient.
bool add_gradient(Script& script, const Sample& sample);

/// Returns the tolerance of each result under a layout. Throws UserError if the script is refused.
std::vector<Tolerance> tolerances_of(const Script& script);

/// An operation's name as part of a test's.
std::string test_name(const graph::Op& op);

/// Returns every operation with samples.
std::vector<const graph::Op*> sampled_ops();

/// Returns the names of all dims that a script's inputs declare.
std::vector<std::string> dims_of(const Script& script);

/// Returns every map of these dims to nothing, to an axis of the mesh, or to an ordered pair of axes, in the notation
/// of `--layout`. Some put two dims on one axis.
std::vector<std::string> layouts_of(const std::vector<std::string>& dims, const std::string& mesh);

}  // namespace mtf::properties
