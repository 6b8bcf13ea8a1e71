#pragma once
// A script that carries its own output: its expectations, and how they are rewritten.
//
//   #: meshes  "" "all:4"        under which meshes, layouts and numbers of ranks it must print the same
//   #: set     steps=2           options and dims of the script, as `--set` gives them
//   #: tolerance 0.001           how far printed numbers may be from the expected ones, relative to them
//   #> 30                        a line that the program prints, under the statement that prints it
//   #> took … s                  `…` stands for any text
//   #! unknown_name: `batsh`     the line above must be refused, by a diagnostic of this kind whose words contain this
//   #!                           it must be refused: an update writes by what
//
// Each mark is on a line of its own. `#!/…` on the first line is a shebang. A `#!` belongs to the nearest line above
// that is no expectation. Blanks at the end of a printed line are not compared. This file only transforms text:
// golden_run.h runs scripts, and golden_test.h compares.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::tool {

/// A line that the program is expected to print.
struct ExpectedLine {
  std::size_t at = 0;  ///< the line of the `#>` in the file, from 1
  std::string text;
};

/// An error that the program is expected to have.
struct ExpectedError {
  std::size_t at = 0;    ///< the line of the `#!` in the file, from 1
  std::size_t line = 0;  ///< the line that must be refused; 0 before any line
  std::string kind;      ///< empty: not known yet, so that no diagnostic fits
  std::string text;      ///< a part of the diagnostic's text; empty: any
};

struct GoldenFile {
  std::optional<std::vector<std::string>> meshes;  ///< in Mesh TensorFlow's notation; none: the script's own
  std::optional<std::vector<std::string>> layouts;
  std::vector<std::string> memory = {""};  ///< bytes that each processor has, as `--memory` says it; "" is any
  std::vector<std::int64_t> ranks = {1};
  std::vector<std::string> set;  ///< `name=value`, for every combination
  double tolerance = 0;          ///< see fits_line()
  std::vector<ExpectedLine> output;
  std::vector<ExpectedError> errors;
  /// Errors in the expectations themselves, each as `line: sentence`.
  std::vector<std::string> problems;
};
GoldenFile parse_golden(std::string_view text);

/// True if the two lines are the same, but for numbers: with a tolerance above 0, numbers with a point or an exponent
/// may differ by `tolerance` times the larger one, or by one in the last digit that is printed.
bool is_same_line(std::string_view a, std::string_view b, double tolerance);
/// The same of an expected line, in which `…` stands for any text.
bool fits_line(std::string_view expected, std::string_view found, double tolerance);

/// Under what a script runs once.
struct Combination {
  std::optional<std::string> mesh;
  std::optional<std::string> layout;
  std::int64_t ranks = 1;
  std::string memory = {};
  std::vector<std::string> set = {};
};
/// `--mesh "all:4" --layout "" on 2 ranks`; empty for the script's own mesh and layout on one rank.
std::string to_string(const Combination& combination);

/// Returns every combination of the header. Leaves out a layout with an axis that the mesh lacks, and a mesh with fewer
/// processors than ranks. If a mesh or layout is left without a combination, adds that to the file's problems.
std::vector<Combination> combinations(GoldenFile& golden);

/// The output of one statement.
struct StatementOutput {
  std::size_t first_line = 1;  ///< the first and last line of the statement, from 1
  std::size_t last_line = 1;
  std::vector<std::string> lines;
};

/// An error of the program, in the form in which golden files compare it.
struct FoundError {
  std::size_t line = 0;
  std::string kind;
  std::string words;     ///< headline, labels, notes and helps, which must contain `text`
  std::string sentence;  ///< the text that an update writes: the label, or the headline without a label
  std::string rendered;
  bool is_error = true;  ///< a warning may be expected, but need not be
};

/// Expected errors that were not found (as indices), and errors that were found but not expected.
struct ErrorMismatch {
  std::vector<std::size_t> missing;
  std::vector<std::size_t> surprising;
};
ErrorMismatch match_errors(const std::vector<ExpectedError>& expected, const std::vector<FoundError>& found);

/// Returns the found errors that the file does not ask for. An expectation on the same line asks for an error if it
/// failed, and has the error's kind or no kind yet.
std::vector<std::size_t> unasked_errors(const std::vector<ExpectedError>& expected,
                                        const std::vector<FoundError>& found);

/// Returns the text with expectations that fit the program. All else keeps its bytes, also the `#>` of a statement with
/// the same output, wherever they are inside the statement. Statements are in order.
std::string update_golden(std::string_view text, const std::vector<StatementOutput>& statements,
                          const std::vector<FoundError>& errors);

/// Splits output into lines.
std::vector<std::string> printed_lines(std::string_view output);
/// Returns the text without blanks at the end.
std::string_view trim_right(std::string_view text);

}  // namespace mtf::tool
