// Logs: files to which a running program adds lines. A run that resumes from a checkpoint continues its log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mtf::io {

/// JSON objects, one for each line, or a table with commas between its columns, whose first line names them.
enum class LogForm : std::uint8_t { kJson, kCsv };

/// Adds a line and its line end. A new or empty file gets `header` first, if there is one. Creates the folder if
/// necessary. Throws IoError if the file is no log of that form, or has another header.
///
/// `is_first`: this process has not added a line yet. In that case an incomplete last line, left by a killed run, is
/// removed, and a stream (write_target.h) gets the header. Fails for a pipe that nobody reads.
void add_log_line(const std::string& path, LogForm form, const std::string& header, const std::string& line,
                  bool is_first);

/// True if there is a log that holds something. Throws IoError if the file is no log of that form, or has another
/// header.
bool has_log(const std::string& path, LogForm form, const std::string& header);

/// The length of a log, and a hash of its contents.
struct LogMark {
  std::uint64_t size = 0;
  std::uint64_t hash = 0x2d06800538d394c2;  ///< of an empty log
};

/// The mark of a log, or nothing if it is no file. The marked contents are on the disk afterwards.
std::optional<LogMark> mark_log(const std::string& path);

/// Renames a log that holds something to `log.csv.before`, or another free name, and returns that name. The next line
/// begins a new log.
std::string set_log_aside(const std::string& path);

/// Removes everything behind the mark. Throws IoError if the contents before it do not match the mark, because somebody
/// has changed the file. An empty or missing file begins anew.
void cut_log(const std::string& path, const LogMark& mark);

}  // namespace mtf::io
