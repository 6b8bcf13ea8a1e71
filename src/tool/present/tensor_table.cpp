#include "tool/present/tensor_table.h"

#include <algorithm>
#include <vector>

#include "eval/display.h"
#include "support/text.h"
#include "tool/present/table.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kLeftOut = "…";
constexpr std::int64_t kNone = -1;  // marks left-out indices
constexpr std::size_t kColumnGap = 2;

// Returns `room` of the indices 0 … count - 1: the first and the last ones, and the mark of the left-out indices.
std::vector<std::int64_t> shown(std::int64_t count, std::size_t room) {
  std::vector<std::int64_t> indices;
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(room, 3));
  for (std::int64_t i = 0; i < count; ++i) {
    if (count > most && i == most / 2) {
      indices.push_back(kNone);
      i = count - (most - 1 - most / 2);
    }
    indices.push_back(i);
  }
  return indices;
}

// A matrix of the tensor, or the single row of a tensor with one dim.
class ShownMatrix {
 public:
  ShownMatrix(const plan::HostTensor& tensor, std::int64_t first, int digits)
      : tensor_(tensor), first_(first), digits_(digits) {
    const Dims dims = settled(tensor.type.dims);
    columns_ = dims.back();
    if (dims.size() > 1) rows_ = dims[dims.size() - 2];
  }
  std::int64_t rows() const { return rows_.size; }
  std::int64_t columns() const { return columns_.size; }
  std::int64_t elements() const { return rows_.size * columns_.size; }
  std::string cell(std::int64_t row, std::int64_t column) const {
    if (row == kNone || column == kNone) return std::string(row == kNone && column == kNone ? "" : kLeftOut);
    return eval::number_text(tensor_.number(first_ + row * columns_.size + column), tensor_.type.element, digits_);
  }
  std::string corner() const { return (rows_.name.empty() ? "" : rows_.name.str() + "\\") + columns_.name.str(); }
  std::string row_name(std::int64_t row) const {
    return row == kNone ? std::string(kLeftOut) : rows_.name.empty() ? "" : std::to_string(row);
  }

  // Returns a table of these rows and columns.
  std::string table(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns) const {
    Table table(std::string(columns.size() + 1, 'r'));
    std::vector<std::string> head = {corner()};
    for (const std::int64_t column : columns)
      head.push_back(column == kNone ? std::string(kLeftOut) : std::to_string(column));
    table.row(std::move(head));
    for (const std::int64_t row : rows) {
      std::vector<std::string> cells = {row_name(row)};
      for (const std::int64_t column : columns) cells.push_back(cell(row, column));
      table.row(std::move(cells));
    }
    return table.text();
  }
  std::size_t width_of(const std::vector<std::int64_t>& rows, std::int64_t column) const {
    std::size_t width = column == kNone ? 1 : std::to_string(column).size();
    for (const std::int64_t row : rows) width = std::max(width, count_code_points(cell(row, column)));
    return width + kColumnGap;
  }
  std::size_t head_width(const std::vector<std::int64_t>& rows) const {
    std::size_t width = count_code_points(corner());
    for (const std::int64_t row : rows) width = std::max(width, row_name(row).size());
    return width;
  }

 private:
  const plan::HostTensor& tensor_;
  std::int64_t first_;
  int digits_;
  Dim rows_{Name(), 1}, columns_;
};

// Returns as many of the first and last columns as fit.
std::vector<std::int64_t> columns_that_fit(const ShownMatrix& matrix, const std::vector<std::int64_t>& rows,
                                           std::size_t room) {
  std::size_t most = std::min<std::size_t>(static_cast<std::size_t>(matrix.columns()), room / (1 + kColumnGap) + 1);
  for (;; --most) {
    const std::vector<std::int64_t> columns = shown(matrix.columns(), most);
    std::size_t width = matrix.head_width(rows);
    for (const std::int64_t column : columns) width += matrix.width_of(rows, column);
    if (width <= room || most <= 3) return columns;
  }
}

// Returns all columns, in tables below each other.
std::string folded(const ShownMatrix& matrix, const std::vector<std::int64_t>& rows, std::size_t room) {
  std::string text;
  for (std::int64_t column = 0; column < matrix.columns();) {
    std::vector<std::int64_t> columns;
    std::size_t width = matrix.head_width(rows);
    while (column < matrix.columns()) {
      width += matrix.width_of(rows, column);
      if (!columns.empty() && width > room) break;
      columns.push_back(column++);
    }
    text += matrix.table(rows, columns);
  }
  return text;
}

}  // namespace

std::string tensor_table(const plan::HostTensor& tensor, const Room& room) {
  const Dims dims = settled(tensor.type.dims);
  const std::size_t outer = dims.size() > 2 ? dims.size() - 2 : 0;
  std::int64_t matrices = 1;
  for (std::size_t d = 0; d < outer; ++d) matrices *= dims[d].size;
  const std::int64_t rows = dims.size() > 1 ? dims[dims.size() - 2].size : 1;
  const std::size_t lines_of_one = static_cast<std::size_t>(std::min<std::int64_t>(rows, 10)) + (outer > 0 ? 2 : 1);
  const bool is_cut = room.lines > 0;
  const std::vector<std::int64_t> indices =
      shown(matrices, is_cut ? room.lines / lines_of_one : static_cast<std::size_t>(matrices));
  // Of few matrices that do not fit, each has fewer rows.
  const auto marks = static_cast<std::size_t>(std::count(indices.begin(), indices.end(), kNone));
  const std::size_t lines_for_one = (room.lines - std::min(room.lines, marks)) / (indices.size() - marks);
  const std::size_t lines = !is_cut     ? static_cast<std::size_t>(rows)
                            : outer > 0 ? std::max<std::size_t>(std::min(lines_for_one, lines_of_one), 5) - 2
                                        : std::max<std::size_t>(room.lines, 5) - 2;
  std::string text;
  for (const std::int64_t index : indices) {
    if (index == kNone) {
      text += std::string(kLeftOut) + "\n";
      continue;
    }
    std::string title;
    std::int64_t rest = index;
    for (std::size_t d = outer; d-- > 0;) {
      title = dims[d].name.str() + "=" + std::to_string(rest % dims[d].size) + (title.empty() ? "" : ", ") + title;
      rest /= dims[d].size;
    }
    if (!title.empty()) text += title + "\n";
    const std::int64_t elements = rows * dims.back().size;
    const ShownMatrix matrix(tensor, index * elements, room.digits);
    const std::vector<std::int64_t> shown_rows = shown(rows, lines);
    text += is_cut ? matrix.table(shown_rows, columns_that_fit(matrix, shown_rows, room.columns))
                   : folded(matrix, shown_rows, room.columns);
  }
  return text;
}

}  // namespace mtf::tool
