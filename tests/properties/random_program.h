#pragma once
// Random programs, each made from a seed.
//
// A program draws its inputs from the random stream and continues with a few lines. Each line is an operation on
// tensors that earlier lines bound. There are two kinds of programs. One works on small integers (i32, and floats that
// hold integers), which are bounded so that every sum is exact: its results are the same bits in every run. The other
// works on floats of one type. It tracks a bound of each tensor's elements, and of the rounding error between two runs.
// A discontinuous operation (a comparison, an argmax) reads only tensors with an error of 0.
//
// A program can be written in two ways: plain, or with a mesh of its own, layouts for parts of its lines, and `@` on
// some values. Both compute the same.
#include <cstdint>
#include <string>
#include <vector>

#include "compare.h"
#include "script.h"

namespace mtf::properties {

/// A line that binds one or two tensors.
struct Line {
  std::string text;    ///< `let v3 = v1 + v2`; several lines where it is a loop
  std::string layout;  ///< the text after `@` in the program with layouts, or nothing
  std::string before;  ///< the `use …` before it in the program with layouts
  std::vector<std::string> binds;
  std::vector<std::string> reads;
  std::string as_input;  ///< a line that binds the first name to an input of the same type, or nothing
};

struct RandomProgram {
  uint64_t seed = 0;
  bool has_loop = false;
  std::string dims;        ///< lines that declare the dims
  std::string placing;     ///< lines that declare meshes and layouts
  int64_t processors = 1;  ///< of each of its meshes
  std::vector<Line> inputs;
  std::vector<Line> lines;
  std::vector<std::string> results;
  std::vector<Tolerance> tolerances;  ///< of each result

  Script script(bool laid_out) const;
  /// Returns the part of the program that computes only this result.
  RandomProgram part_for(size_t result) const;
};

/// Makes a program. In its form with layouts, no tensor has two dims on one axis.
RandomProgram random_program(uint64_t seed);

/// Checks every property of the program of a seed. Describes the violated ones with a small script that shows them;
/// empty if there are none.
std::string wrong_with(uint64_t seed);

/// Prints the program of a seed and its violated properties; returns true if there are none.
bool show_random_program(uint64_t seed);

/// Draws a layout of dims on a mesh; it may put two dims on one axis.
std::string random_layout(uint64_t seed, const std::vector<std::string>& dims, const std::string& mesh);

}  // namespace mtf::properties
