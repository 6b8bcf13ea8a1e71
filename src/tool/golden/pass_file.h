#pragma once
// Tests of the compiler's passes: files of cases. Each case is a sentence that states a fact, a program as a stage
// prints it, the name of a pass, and the program after the pass.
//
//   # Equal operations of equal operands become one.
//   mesh line = [p: 2]
//   x: f32[a=8/p] = input()
//   y: f32[a=8/p] = relu(x)
//   z: f32[a=8/p] = relu(x)
//   -> y, z
//
//   merge
//
//   mesh line = [p: 2]
//   …
//
// `decisions` in the place of a pass stands for the decisions of the pass `split` (spmd/decision.h).
#include <string>

#include "tool/golden/golden_test.h"

namespace mtf::tool {

inline constexpr std::string_view kPassFile = ".pass";

/// Runs each case of the file at `path`. Both programs of a case must be as mtf prints them. An update rewrites them.
GoldenResult run_pass_file(const std::string& path, bool update);

}  // namespace mtf::tool
