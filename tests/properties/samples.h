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
/// Sizes that no mesh divides, that most divide, that are all one (so that only names tell dims apart), and around the
/// length of a vector register.
inline constexpr Sizes kUneven = {5, 7, 4, 3};
inline constexpr Sizes kEven = {12, 6, 4, 8};
inline constexpr Sizes kEqual = {6, 6, 6, 6};
inline constexpr Sizes kMisaligned[] = {{1, 15, 16, 17}, {16, 17, 1, 15}, {17, 16, 15, 1}, {15, 4, 17, 16}};

struct SampleInput {
  std::string name;
  ElementType element = ElementType::kF32;
  std::string dims;       ///< `[a, b]`
  std::string low, high;  ///< bounds as they are written
};

/// One line of a record's samples.
struct Sample {
  const graph::Op* op = nullptr;
  std::string line;
  std::string declarations;       ///< `dim bc = b * c`, a line each
  std::vector<std::string> dims;  ///< those of a, b, c and d that it uses
  std::vector<SampleInput> inputs;
  std::string expression;

  /// The script `let result = expression`, for these sizes. Inputs of f32 are of type `real`.
  Script script(const Sizes& sizes, ElementType real = ElementType::kF32) const;
  /// The inputs that a gradient could be taken of, of a script made for `real`.
  std::vector<std::string> real_inputs() const;
};

std::vector<Sample> samples_of(const graph::Op& op);

/// The gradient of a number made of the result, if the sample has one, as more results of the script; false if it has
/// none because the record says so.
bool add_gradient(Script& script, const Sample& sample);

/// What each result may differ by under a layout; throws UserError where the script is refused.
std::vector<Tolerance> tolerances_of(const Script& script);

/// An operation's name as part of a test's.
std::string test_name(const graph::Op& op);

/// Every operation that has samples.
std::vector<const graph::Op*> sampled_ops();

/// The names of all dims that a script's inputs declare.
std::vector<std::string> dims_of(const Script& script);

/// Every way to map each of these dims to nothing, to an axis of the mesh, or to an ordered pair of axes, as `--layout`
/// says it; also those that put two dims on one axis.
std::vector<std::string> layouts_of(const std::vector<std::string>& dims, const std::string& mesh);

}  // namespace mtf::properties
