#pragma once
// Random programs, each made from a seed.
//
// A program draws its inputs from the random stream and goes on with a few lines, each an operation on tensors that
// earlier lines bound. It is of one of two kinds. One works on small integers (i32, and floats that hold integers),
// bounded so that every sum is exact: its results are the same bits however it is run. The other works on floats of
// one type; along with each tensor goes a bound of its elements and of the rounding error by which two runs may
// differ, and nothing discontinuous (a comparison, an argmax) reads a tensor of which that error is not 0.
//
// A program can be written in two ways: plain, and laid out: with a mesh of its own, layouts that are in force from
// one line to another, and `@` on some values. Both compute the same.
#include <cstdint>
#include <string>
#include <vector>

#include "compare.h"
#include "script.h"

namespace mtf::properties {

/// A line that binds a tensor or two.
struct Line {
  std::string text;    ///< `let v3 = v1 + v2`; several lines where it is a loop
  std::string layout;  ///< what stands behind `@` if the program is laid out, or nothing
  std::string before;  ///< `use …` that stands above it if the program is laid out
  std::vector<std::string> binds;
  std::vector<std::string> reads;
  std::string as_input;  ///< a line that binds a tensor of the same type to the first name, or nothing
};

struct RandomProgram {
  uint64_t seed = 0;
  bool has_loop = false;
  std::string dims;        ///< lines that declare them
  std::string placing;     ///< lines that declare meshes and layouts
  int64_t processors = 1;  ///< of each of its meshes
  std::vector<Line> inputs;
  std::vector<Line> lines;
  std::vector<std::string> results;
  std::vector<Tolerance> tolerances;  ///< of each result

  Script script(bool laid_out) const;
  /// The part that computes only this result.
  RandomProgram part_for(size_t result) const;
};

/// No tensor has two dims on one axis in the program laid out.
RandomProgram random_program(uint64_t seed);

/// Everything that must hold for the program of a seed; what does not, in words, with a small script that shows it;
/// empty if all holds.
std::string wrong_with(uint64_t seed);

/// Prints the program of a seed and what is wrong with it; true if nothing is.
bool show_random_program(uint64_t seed);

/// A layout of dims on a mesh, drawn at random; it may put two dims on one axis.
std::string random_layout(uint64_t seed, const std::vector<std::string>& dims, const std::string& mesh);

}  // namespace mtf::properties
