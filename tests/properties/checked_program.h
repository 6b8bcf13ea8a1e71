#pragma once
// Random programs for the promise of a check: it never refuses a right program.
//
// A program is drawn statement by statement at a prompt, which runs each and keeps those that run. So what it does with
// lists that grow in loops, slices by numbers of tensors and lines of files is right, though only the run knows it.
//
// Its loops are short, and so are those that stand in each other or in functions that are called: each program ends
// within some thousand statements.
#include <cstdint>
#include <string>

namespace mtf::properties {

/// Makes the folder of files that programs read, which this process removes at its end: before a child needs it.
void make_data_folder();

/// The program of a seed. Its lines are numbered by what they print: `@12` before line 12 runs.
std::string checked_program(uint64_t seed);

/// Errors of the program's check at lines that its run executes, and which are no errors of the run; empty if there are
/// none.
std::string wrong_with_check_of(uint64_t seed);

}  // namespace mtf::properties
