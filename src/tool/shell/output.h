#pragma once
// Standard output, in which every command says what it has to say: nothing of it is lost without an error.
#include <cstddef>
#include <string_view>

#include "support/diagnostics.h"

namespace mtf::tool {

/// Standard output cannot be written (a full disk): kind cannot_write. A reader that has gone is no error: the signal
/// SIGPIPE ends the process.
class OutputError : public UserError {
 public:
  /// `error` as errno says it.
  explicit OutputError(int error);
};

/// Gives text to standard output, which may keep it for a while. Throws OutputError.
void write_output(std::string_view text);
template <typename... Args>
requires(sizeof...(Args) > 0) void write_output(fmt::format_string<Args...> text, Args&&... args) {
  write_output(std::string_view(fmt::format(text, std::forward<Args>(args)...)));
}

/// Of a terminal; 0 and 0 for a file that is none.
struct ScreenSize {
  std::size_t columns = 0, rows = 0;
};
ScreenSize screen_size(int file);
/// How many columns the terminal has that standard output is; `otherwise` if it is none.
std::size_t terminal_columns(std::size_t otherwise = 0);

/// Writes what is kept; every command ends with it. Throws OutputError if any of it was lost, now or before.
void flush_output();

/// Occupies those of standard input, output and error that the process was started without: a file of the program's
/// that is opened must not become one of them. Reading and writing such a one fails.
void occupy_standard_files();

}  // namespace mtf::tool
