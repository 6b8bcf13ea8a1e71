#pragma once
// What was entered at a prompt.
#include <string>
#include <vector>

namespace mtf {

/// What was entered at a prompt and carried out: all of an entry before the statement that failed. Of a loop that was
/// interrupted the whole statement.
struct Entry {
  std::string name;
  std::string text;
  bool is_file = false;         ///< a script that was loaded
  bool without_loops = false;   ///< of which loops were left out
  bool moves = false;           ///< it was given to Session::use
  std::vector<bool> has_value;  ///< for each statement: a bare expression with a value
};

}  // namespace mtf
