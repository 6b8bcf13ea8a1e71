// data.csv: tables with named columns.
#include <charconv>
#include <cmath>
#include <cstring>

#include "eval/scope.h"
#include "io/csv.h"
#include "io/io_error.h"
#include "library/files.h"
#include "library/functions.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::library {
namespace {

/// A table as a value.
class TableObject : public eval::Object, public std::enable_shared_from_this<TableObject> {
 public:
  /// `table`: null if a check does not find the file.
  TableObject(std::shared_ptr<const io::CsvTable> table, std::string path)
      : table_(std::move(table)), path_(std::move(path)) {}
  std::string_view kind() const override { return "a table"; }
  std::string print() const override {
    return table_ ? "a table of " + mtf::count_text(table_->rows(), "row") : "a table";
  }
  std::vector<std::string> attributes() const override { return {"columns", "column"}; }
  std::optional<int64_t> length() const override { return table_ ? table_->rows() : -1; }

  std::optional<eval::HostValue> attribute(Name name) override {
    if (name.text() == "columns") {
      if (!table_) return unknown(eval::UnknownKind::kAny);
      std::vector<eval::HostValue> names;
      for (const std::string& column : table_->columns()) names.push_back(eval::make_text(column));
      return make_list(std::move(names));
    }
    static const syntax::Signature kColumn =
        "column(name: string, rows: dim = none, type: element = f32, missing: float = none) -> value";
    if (name.text() != "column") return std::nullopt;
    return eval::host_function(kColumn, "", eval::Effects::kReads,
                               [self = shared_from_this()](eval::Caller& caller, const eval::Bound& call) {
                                 return self->column(caller, call);
                               });
  }

 private:
  eval::HostValue column(eval::Caller& caller, const eval::Bound& call) const {
    if (!table_) return unknown(eval::UnknownKind::kAny);
    const std::vector<std::string>& names = table_->columns();
    const auto found = std::find(names.begin(), names.end(), call.text(0));
    if (found == names.end()) {
      fail(Kind::unknown_name, call.span(0), "expected one of the columns {} of {}, found `{}`", fmt::join(names, ", "),
           path_, call.text(0));
    }
    const auto place = static_cast<size_t>(found - names.begin());
    if (call.has(1)) return tensor(caller, call, place);
    std::vector<eval::HostValue> cells;
    for (int64_t row = 0; row < table_->rows(); ++row) cells.push_back(eval::make_text(table_->cell(row, place)));
    return make_list(std::move(cells));
  }

  eval::HostValue tensor(eval::Caller& caller, const eval::Bound& call, size_t place) const {
    const Dim& rows = call.dim(1);
    const ElementType type = call.has(2) ? *call.value(2).as<ElementType>() : ElementType::kF32;
    if (type != ElementType::kF32 && type != ElementType::kF64 && type != ElementType::kI32)
      fail(Kind::bad_value, call.span(2), "expected f32, f64 or i32, found {}", name(type));
    if (rows.size != table_->rows()) {
      fail(Kind::file_shape_mismatch, call.span(1), "expected {}, as many as rows in {}, found {}", table_->rows(),
           path_, to_string(rows));
    }
    const std::optional<double> missing = call.has(3) ? std::optional(*call.value(3).as<double>()) : std::nullopt;
    plan::HostTensor tensor{{type, {rows}}, {}};
    const auto size = static_cast<size_t>(size_of(type));
    if (!caller.is_check()) tensor.bytes.resize(static_cast<size_t>(rows.size) * size);
    for (int64_t row = 0; row < rows.size; ++row) {
      const double number = number_of_cell(row, place, type, missing, call.span());
      if (caller.is_check()) continue;
      std::byte* to = tensor.bytes.data() + static_cast<size_t>(row) * size;
      const auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
      if (type == ElementType::kF64) put(number);
      else if (type == ElementType::kF32) put(static_cast<float>(number));
      else put(static_cast<std::int32_t>(number));
    }
    return caller.constant(std::move(tensor), call.span());
  }

  double number_of_cell(int64_t row, size_t place, ElementType type, std::optional<double> missing, Span span) const {
    const std::string& cell = table_->cell(row, place);
    double number = 0;
    const bool is_empty = cell.empty();
    const char* const begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, cell.data() + cell.size(), number);
    if (is_empty && missing) number = *missing;
    const bool is_number = (is_empty && missing) || (error == std::errc() && end == cell.data() + cell.size());
    const bool is_whole = type == ElementType::kI32;
    if (is_number && (!is_whole || (std::trunc(number) == number && std::abs(number) < 2147483648.0))) return number;
    fail(Kind::bad_file_format, span, "{}: line {}, column `{}`: expected {}, found {}", path_, table_->line(row),
         table_->columns()[place], is_whole ? "a whole number of 32 bits" : "a number",
         is_empty ? "an empty cell" : "`" + printable(cell) + "`");
  }

  std::shared_ptr<const io::CsvTable> table_;
  std::string path_;
};

/// table(path, by): a table of a file. Its number of rows fixes shapes, so a check reads it too.
eval::HostValue table(eval::Caller& caller, const eval::Bound& call) {
  const std::string& path = call.text(0);
  const std::string& by = call.text(1);
  if (by.size() != 1 || by == "\"" || by == "\n" || by == " ")
    fail(Kind::bad_value, call.span(1), "expected one character between cells, found `{}`", printable(by));
  const auto parsed = [&](const std::string& text) { return std::make_shared<const io::CsvTable>(text, path, by[0]); };
  const auto text = shared_content(caller, path, call.span(), parsed);
  return eval::ObjectPtr(std::make_shared<TableObject>(text ? parsed(*text) : nullptr, path));
}

}  // namespace

std::vector<eval::HostFunction> table_functions() {
  return {{"table(path: string, by: string) -> value", "", eval::Effects::kReads, table}};
}

}  // namespace mtf::library
