#pragma once
// What was entered before, in this session and in others.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::line_editor {

/// Entries, the oldest first. The file has one a line, `\n` and `\\` standing for a line end and a backslash; sessions
/// only append to it, under a lock, so that several at once lose nothing; it is readable by its owner alone.
class History {
 public:
  /// Reads the last `most` entries of the file, if there is one. Without a name history ends with the session.
  explicit History(std::string file, std::size_t most = 10'000);

  /// An entry that repeats the last one, or that is blank, is not added. A file that cannot be written is left alone.
  void add(const std::string& entry);

  std::size_t size() const { return entries_.size(); }
  const std::string& operator[](std::size_t index) const { return entries_[index]; }
  /// The newest entry before number `before` that contains `text`; if `from_start`, that begins with it and goes on.
  std::optional<std::size_t> newest(std::string_view text, std::size_t before, bool from_start = false) const;

 private:
  void append_to_file(const std::string& entry) const;

  std::string file_;
  std::vector<std::string> entries_;
};

}  // namespace mtf::line_editor
