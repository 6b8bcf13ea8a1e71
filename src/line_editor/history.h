#pragma once
// The entries of this session and of earlier ones.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::line_editor {

/// Entries, the oldest first. The file has one entry a line, in which `\n` and `\\` stand for a line end and a
/// backslash. Sessions only append to the file, under a lock, so that concurrent ones lose nothing. Only its owner can
/// read it.
class History {
 public:
  /// Reads the last `most` entries of the file, if there is one. Without a file name, history ends with the session.
  explicit History(std::string file, std::size_t most = 10'000);

  /// Adds an entry, unless it is blank or repeats the last one. Ignores a file that cannot be written.
  void add(const std::string& entry);

  std::size_t size() const { return entries_.size(); }
  const std::string& operator[](std::size_t index) const { return entries_[index]; }
  /// The newest entry before number `before` that contains `text`. With `from_start`, it must begin with it and be
  /// longer.
  std::optional<std::size_t> newest(std::string_view text, std::size_t before, bool from_start = false) const;

 private:
  void append_to_file(const std::string& entry) const;

  std::string file_;
  std::vector<std::string> entries_;
};

}  // namespace mtf::line_editor
