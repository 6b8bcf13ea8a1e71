#pragma once
// What was entered at a prompt.
#include <cstddef>
#include <string>
#include <vector>

namespace mtf {

/// What was entered at a prompt and carried out: all of an entry before the statement that failed. Of a loop that was
/// interrupted the whole statement.
struct Entry {
  std::string name;
  std::string text;
  bool is_file = false;               ///< a script that was loaded
  bool without_loops = false;         ///< without those loops that compute
  bool is_use = false;                ///< it was given to Session::use: the text is what stands behind `use`
  std::vector<bool> has_value;        ///< for each statement: a bare expression with a value
  std::vector<std::size_t> left_out;  ///< the loops among the statements that were
};

}  // namespace mtf
