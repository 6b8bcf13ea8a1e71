#pragma once
// Random programs that test a promise of the check: it never refuses a correct program.
//
// A program is drawn statement by statement at a prompt, which runs each statement and keeps those that succeed. So its
// lists that grow in loops, slices by numbers of tensors, and lines of files are correct, although only the run knows
// that.
//
// Its loops are short, also nested loops and loops in called functions. Each program ends within some thousand
// statements.
#include <cstdint>
#include <string>

namespace mtf::properties {

/// Makes the folder of input files, which this process removes at its end. Call it before a child needs the folder.
void make_data_folder();

/// Returns the program of a seed. Its lines are numbered by their output: `@12` before line 12 runs.
std::string checked_program(uint64_t seed);

/// Returns the errors that the check reports at lines that the run executes without these errors; empty if there are
/// none.
std::string wrong_with_check_of(uint64_t seed);

}  // namespace mtf::properties
