#include "line_editor/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

namespace mtf::line_editor {
namespace {

// A larger entry is kept in the session only.
constexpr std::size_t kLargestInFile = 100'000;

std::string encoded(const std::string& entry) {
  std::string line;
  for (const char letter : entry) {
    if (letter == '\n' || letter == '\\') line += '\\';
    line += letter == '\n' ? 'n' : letter;
  }
  return line + '\n';
}

bool is_octal(char digit) { return digit >= '0' && digit <= '7'; }

// Also reads libedit's files, in which `\040` stands for a blank.
std::string decoded(const std::string& line) {
  std::string entry;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      entry += line[i];
    } else if (i + 3 < line.size() && is_octal(line[i + 1]) && is_octal(line[i + 2]) && is_octal(line[i + 3])) {
      entry += static_cast<char>((line[i + 1] - '0') * 64 + (line[i + 2] - '0') * 8 + (line[i + 3] - '0'));
      i += 3;
    } else {
      entry += line[++i] == 'n' ? '\n' : line[i];
    }
  }
  return entry;
}

std::vector<std::string> read_entries(const std::string& file) {
  std::vector<std::string> entries;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line != "_HiStOrY_V2_") entries.push_back(decoded(line));
  return entries;
}

// Opens the file for appending, with a lock, or returns -1. Shortening replaces the file, so the lock counts only if
// the file still has that name.
int open_locked(const std::string& file) {
  while (true) {
    const int descriptor = open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return -1;
    struct stat opened = {}, named = {};
    if (flock(descriptor, LOCK_EX) != 0 || fstat(descriptor, &opened) != 0 || !S_ISREG(opened.st_mode)) {
      close(descriptor);
      return -1;
    }
    if (stat(file.c_str(), &named) == 0 && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
      return descriptor;
    close(descriptor);
  }
}

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = write(descriptor, text.data() + at, text.size() - at);
    if (count <= 0) return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

// Removes all but the last `most` entries from the file.
void shorten(const std::string& file, std::size_t most) {
  const int lock = open_locked(file);
  if (lock < 0) return;
  const std::vector<std::string> entries = read_entries(file);
  std::string kept;
  for (std::size_t i = entries.size() - std::min(most, entries.size()); i < entries.size(); ++i)
    kept += encoded(entries[i]);
  std::error_code error;
  const std::string target = std::filesystem::canonical(file, error).string();  // keeps a link
  const std::string other = target + ".shorter";
  const int descriptor = error ? -1 : open(other.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor >= 0) {
    const bool is_whole = write_all(descriptor, kept);
    if (close(descriptor) != 0 || !is_whole || std::rename(other.c_str(), target.c_str()) != 0) unlink(other.c_str());
  }
  close(lock);
}

}  // namespace

History::History(std::string file, std::size_t most) : file_(std::move(file)) {
  struct stat status = {};
  if (file_.empty() || stat(file_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  entries_ = read_entries(file_);
  if (entries_.size() > 2 * most) shorten(file_, most);
  if (entries_.size() > most) entries_.erase(entries_.begin(), entries_.end() - static_cast<std::ptrdiff_t>(most));
}

void History::add(const std::string& entry) {
  if (entry.find_first_not_of(" \t\n") == std::string::npos || (!entries_.empty() && entries_.back() == entry)) return;
  entries_.push_back(entry);
  if (!file_.empty() && entry.size() <= kLargestInFile) append_to_file(entry);
}

void History::append_to_file(const std::string& entry) const {
  const int descriptor = open_locked(file_);
  if (descriptor < 0) return;
  struct stat status = {};
  std::string line = encoded(entry);
  char last = '\n';  // a torn line must not spoil this one
  if (fstat(descriptor, &status) == 0 && status.st_size > 0 && pread(descriptor, &last, 1, status.st_size - 1) == 1 &&
      last != '\n')
    line = '\n' + line;
  if (fchmod(descriptor, 0600) == 0) write_all(descriptor, line);
  close(descriptor);
}

std::optional<std::size_t> History::newest(std::string_view text, std::size_t before, bool from_start) const {
  for (std::size_t i = std::min(before, entries_.size()); i-- > 0;) {
    const std::string& entry = entries_[i];
    if (from_start ? entry.size() > text.size() && entry.starts_with(text) : entry.find(text) != std::string::npos)
      return i;
  }
  return std::nullopt;
}

}  // namespace mtf::line_editor
