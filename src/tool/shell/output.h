#pragma once
// Standard output of every command: lost output is always an error.
#include <cstddef>
#include <string_view>

#include "support/diagnostics.h"

namespace mtf::tool {

/// Standard output cannot be written (a full disk): kind cannot_write. A reader that no longer exists is not such an
/// error: the signal SIGPIPE ends the process, unless it is a rank.
class OutputError : public UserError {
 public:
  /// `error` is an errno.
  explicit OutputError(int error);
};

/// Writes text to standard output, which may buffer it. Throws OutputError.
void write_output(std::string_view text);
template <typename... Args>
requires(sizeof...(Args) > 0) void write_output(fmt::format_string<Args...> text, Args&&... args) {
  write_output(std::string_view(fmt::format(text, std::forward<Args>(args)...)));
}

/// The size of a terminal; 0 and 0 if the file is no terminal.
struct ScreenSize {
  std::size_t columns = 0, rows = 0;
};
ScreenSize screen_size(int file);
/// Returns the columns of the terminal on standard output, or `otherwise` if there is none.
std::size_t terminal_columns(std::size_t otherwise = 0);

/// Writes the buffer; every command ends with it. Throws OutputError if any output was lost, now or before.
void flush_output();

/// Opens a substitute for each of standard input, output and error that the process lacks. Otherwise a file that the
/// program opens would get the missing number. Reading and writing the substitute fails.
void occupy_standard_files();

}  // namespace mtf::tool
