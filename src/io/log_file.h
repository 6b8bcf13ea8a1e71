// Logs: files to which lines are added as a program runs, and which a run that goes on from a checkpoint takes up
// again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mtf::io {

/// JSON objects, one a line; or a table with commas between its columns, whose first line names them.
enum class LogForm : std::uint8_t { kJson, kCsv };

/// Adds a line, with its end; a file that is new or empty gets `header` first, if there is one. The folder is made if
/// there is none. Throws IoError where the file is no log of that form, or has another header.
///
/// `is_first`: this process has added none so far. Then a last line without its end, which a run left that was killed,
/// is taken away, and a stream (write_target.h) gets the header. A pipe that nobody reads is an error.
void add_log_line(const std::string& path, LogForm form, const std::string& header, const std::string& line,
                  bool is_first);

/// How long a log is, and a hash of what it says.
struct LogMark {
  std::uint64_t size = 0;
  std::uint64_t hash = 0x2d06800538d394c2;  ///< of nothing
};

/// Of a log that is a file; what it marks is on the disk.
std::optional<LogMark> mark_log(const std::string& path);

/// Takes away what stands behind the mark, if what stands before it is what was marked.
void cut_log(const std::string& path, const LogMark& mark);

}  // namespace mtf::io
