// Tables as comma-separated values (RFC 4180).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::io {

/// A table of texts with a name for each column. A cell may stand in quotes, and then have line ends and separators;
/// two quotes are one. Spaces around other cells are no part of them. Empty lines are left out.
class CsvTable {
 public:
  /// Parses a text whose first line has the names of the columns. Throws IoError, which names `path` and the line.
  CsvTable(const std::string& text, const std::string& path, char separator);

  const std::vector<std::string>& columns() const { return columns_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(lines_.size()); }
  const std::string& cell(std::int64_t row, std::size_t column) const {
    return cells_[static_cast<std::size_t>(row) * columns_.size() + column];
  }
  /// The line of the text where a row begins, from 1 on.
  std::int64_t line(std::int64_t row) const { return lines_[static_cast<std::size_t>(row)]; }

 private:
  std::vector<std::string> columns_, cells_;
  std::vector<std::int64_t> lines_;
};

}  // namespace mtf::io
