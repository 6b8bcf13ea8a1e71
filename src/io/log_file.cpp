#include "io/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "io/io_error.h"
#include "io/write_target.h"
#include "support/printable.h"

namespace mtf::io {
namespace {

constexpr std::size_t kReadBack = std::size_t{1} << 16;
constexpr std::uint64_t kLongestLine = std::uint64_t{1} << 20;

bool is_object(std::string_view text) { return text.starts_with('{') && nlohmann::json::accept(text); }

/// An open log.
class Log {
 public:
  Log(const std::string& path, const std::filesystem::path& target, int flags)
      : failure_(path), path_(path), descriptor_(open(target.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) failure_.because_of_errno();
  }
  ~Log() { close(descriptor_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  std::uint64_t size() const {
    struct stat state {};
    if (fstat(descriptor_, &state) != 0) failure_.because_of_errno();
    return static_cast<std::uint64_t>(state.st_size);
  }
  void cut(std::uint64_t size) const {
    if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0) failure_.because_of_errno();
  }
  void synchronize() const {
    if (fsync(descriptor_) != 0) failure_.because_of_errno();
  }
  /// Adds text at the end, completely or not at all.
  void add(const std::string& text) const {
    const std::uint64_t before = size();
    try {
      write_all(descriptor_, std::as_bytes(std::span(text)), failure_);
    } catch (const IoError&) {
      cut(before);
      throw;
    }
  }
  /// Calls `visit` with each piece of the first `size` bytes. Stops if it returns false, or at the end of the file.
  void walk(std::uint64_t size, const std::function<bool(std::string_view)>& visit) const {
    std::string piece(kReadBack, '\0');
    for (std::uint64_t at = 0; at < size;) {
      const ssize_t read =
          pread(descriptor_, piece.data(), std::min<std::uint64_t>(piece.size(), size - at), static_cast<off_t>(at));
      if (read < 0)
        throw IoError(IoError::Kind::kUnreadable, path_, std::string("cannot be read: ") + std::strerror(errno));
      if (read == 0 || !visit(std::string_view(piece.data(), static_cast<std::size_t>(read)))) return;
      at += static_cast<std::uint64_t>(read);
    }
  }
  std::string first_line() const {
    std::string line;
    walk(kLongestLine, [&](std::string_view piece) {
      line += piece.substr(0, piece.find('\n'));
      return piece.find('\n') == std::string_view::npos;
    });
    return line;
  }
  /// The end of the last complete line. A line end within quotes of a table does not count.
  std::uint64_t end_of_lines(LogForm form) const {
    std::uint64_t at = 0, end = 0;
    bool in_quotes = false;
    walk(size(), [&](std::string_view piece) {
      for (const char c : piece) {
        ++at;
        if (c == '"' && form == LogForm::kCsv) in_quotes = !in_quotes;
        if (c == '\n' && !in_quotes) end = at;
      }
      return true;
    });
    return end;
  }
  std::string from(std::uint64_t begin) const {
    std::string text;
    std::uint64_t at = 0;
    walk(size(), [&](std::string_view piece) {
      if (at + piece.size() > begin) text += piece.substr(begin > at ? begin - at : 0);
      at += piece.size();
      return true;
    });
    return text;
  }
  std::uint64_t hash(std::uint64_t size) const {
    const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
    XXH3_64bits_reset(state.get());
    walk(size,
         [&](std::string_view piece) { return XXH3_64bits_update(state.get(), piece.data(), piece.size()) == XXH_OK; });
    return XXH3_64bits_digest(state.get());
  }
  /// Removes a torn last line, unless it is a complete object without a line end.
  void mend(LogForm form) const {
    const std::uint64_t end = end_of_lines(form);
    if (end == size()) return;
    if (form == LogForm::kJson && is_object(from(end))) add("\n");
    else cut(end);
  }

 private:
  const WriteFailure failure_;
  const std::string& path_;
  int descriptor_;
};

/// Fails if a file holds something else than a log.
void expect_log(const Log& log, const std::string& path, LogForm form, const std::string& header) {
  const std::string first = log.first_line();
  const bool is_torn_header = first.size() == log.size() && header.starts_with(first);
  if (form == LogForm::kCsv && !first.empty() && first != header && !is_torn_header)
    fail_bad_file(path, "expected `{}` as its first line, found `{}`", printable(header), printable(first));
  if (form == LogForm::kJson && !first.empty() && !first.starts_with('{'))
    fail_bad_file(path, "expected JSON objects, one a line, found `{}`", printable(first));
}

}  // namespace

bool has_log(const std::string& path, LogForm form, const std::string& header) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const Log log(path, path, O_RDONLY);
  expect_log(log, path, form, header);
  return log.size() > 0;
}

void add_log_line(const std::string& path, LogForm form, const std::string& header, const std::string& line,
                  bool is_first) {
  const WriteFailure failure(path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) failure.because("its folder cannot be made: " + error.message());
  const WriteTarget target = find_write_target(path, failure);
  const std::string whole = line + "\n", with_header = header.empty() ? whole : header + "\n" + whole;
  if (target.is_stream) {
    const int stream = open_stream(target, failure);
    try {
      write_all(stream, std::as_bytes(std::span(is_first ? with_header : whole)), failure);
    } catch (...) {
      close(stream);
      throw;
    }
    close(stream);
    return;
  }
  const Log log(path, target.path, O_RDWR | O_CREAT | O_APPEND);
  expect_log(log, path, form, header);
  if (is_first) log.mend(form);
  log.add(log.size() == 0 ? with_header : whole);
}

std::optional<LogMark> mark_log(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const Log log(path, path, O_RDONLY);
  const std::uint64_t size = log.size();
  log.synchronize();
  return LogMark{size, log.hash(size)};
}

std::string set_log_aside(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  if (error || !std::filesystem::is_regular_file(whole, error) || std::filesystem::file_size(whole, error) == 0)
    return "";
  std::filesystem::path other = whole.string() + ".before";
  for (int number = 2; std::filesystem::exists(std::filesystem::symlink_status(other, error)); ++number)
    other = whole.string() + ".before-" + std::to_string(number);
  std::filesystem::rename(whole, other, error);
  if (error) throw IoError(IoError::Kind::kUnwritable, path, "cannot be given another name: " + error.message());
  return path + other.string().substr(whole.string().size());
}

void cut_log(const std::string& path, const LogMark& mark) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  const Log log(path, path, O_RDWR);
  const std::uint64_t size = log.size();
  if (size == 0) return;
  if (size < mark.size || log.hash(mark.size) != mark.hash)
    throw IoError(IoError::Kind::kUnwritable, path,
                  "it is not as the checkpoint's run had left it: its first lines have been changed since; move it "
                  "away, and the log begins anew");
  log.cut(mark.size);
}

}  // namespace mtf::io
