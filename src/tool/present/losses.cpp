#include "tool/present/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/csv.h"
#include "io/io_error.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/present/picture.h"

namespace mtf::tool {
namespace {

constexpr std::size_t kMostLosses = 1'000'000;

bool is_blank_or_mark(char letter) { return letter == ' ' || letter == '\t' || letter == ':' || letter == '='; }

// True if the text before `at` ends with `word` as a whole word or, if `whole` is false, as the end of a word.
bool word_ends(std::string_view text, std::size_t at, std::string_view word, bool whole) {
  if (at < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(text[at - word.size() + i])) != word[i]) return false;
  return !whole || at == word.size() || std::isalnum(static_cast<unsigned char>(text[at - word.size() - 1])) == 0;
}

bool is_of_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_' ||
         static_cast<unsigned char>(letter) >= 0x80;
}

/// Returns the name of a loss from the text before the number, which ends with `loss`: up to two words without digits.
std::string name_before(std::string_view text) {
  text.remove_suffix(4);
  const auto trim_end = [&](std::string_view letters) {
    while (!text.empty() && letters.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  };
  trim_end("_- \t");
  if (!text.empty() && (text.back() == ':' || text.back() == '=')) trim_end(":= \t");
  std::string name;
  for (int words = 0; words < 2; ++words) {
    std::size_t begin = text.size();
    while (begin > 0 && is_of_word(text[begin - 1])) --begin;
    const std::string_view word = text.substr(begin);
    const bool has_digit = std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (word.empty() || has_digit) break;
    name = std::string(word) + (name.empty() ? "" : " " + name);
    text.remove_suffix(word.size());
    if (!text.ends_with(' ')) break;
    trim_end(" ");
  }
  return name.empty() ? "loss" : name;
}

std::string lower_case(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

}  // namespace

void Losses::read(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    read_line(text.substr(0, size));
    text.remove_prefix(std::min(size + 1, text.size()));
  }
}

void Losses::read_line(std::string_view line) {
  const std::size_t before = all_.size();
  std::optional<double> step, epoch;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (!is_blank_or_mark(line[at])) continue;
    const bool is_step = word_ends(line, at, "step", true), is_epoch = word_ends(line, at, "epoch", true);
    if (!is_step && !is_epoch && !word_ends(line, at, "loss", false)) continue;
    const std::size_t word_end = at;
    while (at < line.size() && is_blank_or_mark(line[at])) ++at;
    double number = 0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), number);
    if (error != std::errc()) {
      at = word_end;
      continue;
    }
    if (is_step || is_epoch) {
      (is_step ? step : epoch) = number;
    } else {
      last_.assign(line.data() + at, end);
      if (all_.size() < kMostLosses) all_.push_back({number, name_before(line.substr(0, word_end)), {}, {}});
    }
    at = static_cast<std::size_t>(end - line.data());
  }
  for (std::size_t i = before; i < all_.size(); ++i) {
    all_[i].step = step;
    all_[i].epoch = epoch;
  }
}

namespace {

/// Curves by name, in the order in which the names appear.
class NamedCurves {
 public:
  void add(const std::string& name, double x, double loss) {
    if (!std::isfinite(x) || !std::isfinite(loss)) return;
    const auto [at, fresh] = places_.try_emplace(name, curves_.size());
    if (fresh) curves_.push_back({name, {}, 0});
    curves_[at->second].points.push_back({x, loss});
  }
  std::vector<Curve> take() { return std::move(curves_); }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<Curve> curves_;
};

}  // namespace

Curves Losses::curves(const std::string& x) const {
  const auto any = [&](std::optional<double> Loss::*of) {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Loss& loss) { return (loss.*of) && std::isfinite(*(loss.*of)); });
  };
  Curves curves;
  std::optional<double> Loss::*by = nullptr;
  if (x != "epoch" && any(&Loss::step)) by = &Loss::step, curves.x = "step";
  else if (x != "step" && any(&Loss::epoch)) by = &Loss::epoch, curves.x = "epoch";
  std::optional<double> at;
  NamedCurves named;
  std::map<std::string, double> counts;
  for (const Loss& loss : all_) {
    const double count = ++counts[loss.name];
    if (by != nullptr && (loss.*by) && std::isfinite(*(loss.*by))) at = loss.*by;
    if (by == nullptr || at) named.add(loss.name, by != nullptr ? *at : count, loss.number);
  }
  curves.curves = named.take();
  return curves;
}

namespace {

/// The rows of a log: each the numbers of its fields.
struct LogRows {
  std::vector<std::string> fields;  ///< those with numbers, in the order of the file
  std::vector<std::map<std::string, double>> rows;

  void add(std::map<std::string, double>& row, const std::string& field, double number) {
    if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    row[field] = number;
  }
  bool has(const std::string& field) const { return std::find(fields.begin(), fields.end(), field) != fields.end(); }
};

LogRows rows_of_json(const std::string& file, const std::string& text) {
  LogRows all;
  std::size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!json.is_object()) fail(Kind::bad_file_format, {}, "{}:{}: expected a JSON object", file, number);
    std::map<std::string, double>& row = all.rows.emplace_back();
    for (const auto& [field, value] : json.items())
      if (value.is_number()) all.add(row, field, value.get<double>());
  }
  return all;
}

LogRows rows_of_csv(const std::string& file, const std::string& text) {
  LogRows all;
  try {
    const io::CsvTable table(text, file, ',');
    for (std::int64_t r = 0; r < table.rows(); ++r) {
      std::map<std::string, double>& row = all.rows.emplace_back();
      for (std::size_t column = 0; column < table.columns().size(); ++column) {
        const std::string& cell = table.cell(r, column);
        double number = 0;
        const char* const end = cell.data() + cell.size();
        if (!cell.empty() && std::from_chars(cell.data(), end, number).ptr == end)
          all.add(row, table.columns()[column], number);
      }
    }
  } catch (const io::IoError& error) { fail(Kind::bad_file, {}, "{}", error.what()); }
  return all;
}

/// Returns the name of a field's curve: `train` for `train_loss`.
std::string curve_name(const std::string& field) {
  const std::string small = lower_case(field);
  if (small.size() <= 5 || !small.ends_with("loss")) return field;
  std::string name = field.substr(0, field.size() - 4);
  while (name.size() > 1 && std::string_view("_- ./").find(name.back()) != std::string_view::npos) name.pop_back();
  return name;
}

}  // namespace

Curves curves_of_file(const std::string& file, const std::string& text, const CurveQuestion& question) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::string head = text.substr(0, text.find('\n'));
  const bool is_json = first != std::string::npos && text[first] == '{';
  const bool is_table = !is_json && (file.ends_with(".csv") ||
                                     (head.find(',') != std::string::npos && head.find(' ') == std::string::npos));
  if (!is_json && !is_table) {
    if (!question.fields.empty() || (question.x != "" && question.x != "step" && question.x != "epoch"))
      fail(Kind::bad_option_value, {}, "{} is the output of a program, which has losses by step or epoch alone", file);
    Losses losses;
    losses.read(text);
    return losses.curves(question.x);
  }
  const LogRows rows = is_json ? rows_of_json(file, text) : rows_of_csv(file, text);
  const auto expect_field = [&](const std::string& field) {
    if (!rows.has(field))
      fail(Kind::bad_option_value, {}, "{} has no numbers called {}; it has {}", file, quote(field),
           rows.fields.empty() ? "none" : join_words(rows.fields, "and"));
  };
  Curves curves;
  if (!question.x.empty()) expect_field(curves.x = question.x);
  else if (rows.has("step")) curves.x = "step";
  else if (rows.has("epoch")) curves.x = "epoch";
  else curves.x = "line";
  std::vector<std::string> fields = question.fields;
  for (const std::string& field : fields) expect_field(field);
  if (fields.empty())
    for (const std::string& field : rows.fields)
      if (lower_case(field).find("loss") != std::string::npos) fields.push_back(field);
  if (fields.empty())
    for (const std::string& field : rows.fields)
      if (field != "step" && field != "epoch" && field != curves.x) fields.push_back(field);
  NamedCurves named;
  double number = 0;
  for (const auto& row : rows.rows) {
    ++number;
    const auto x = row.find(curves.x);
    if (curves.x != "line" && x == row.end()) continue;
    for (const std::string& field : fields)
      if (const auto loss = row.find(field); loss != row.end())
        named.add(curve_name(field), curves.x == "line" ? number : x->second, loss->second);
  }
  curves.curves = named.take();
  return curves;
}

Curves joined_runs(std::vector<Curves> runs, const std::vector<std::string>& names) {
  Curves all;
  all.x = runs[0].x;
  all.runs = runs.size();
  std::map<std::string, std::size_t> fields;
  for (const Curves& run : runs)
    for (const Curve& curve : run.curves) ++fields[curve.name];
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].x != all.x)
      fail(Kind::bad_option_value, {}, "{} has its losses by {}, {} by {}: say `--by` what all of them have", names[0],
           all.x, names[r], runs[r].x);
    for (Curve& curve : runs[r].curves) {
      curve.run = r;
      if (runs.size() > 1) curve.name = fields.size() > 1 ? names[r] + ": " + curve.name : names[r];
      all.curves.push_back(std::move(curve));
    }
  }
  return all;
}

namespace {

/// The ranges of x and of losses. On a logarithmic scale `low` and `high` are exponents of ten.
struct CurveRange {
  double low = INFINITY, high = -INFINITY, first = INFINITY, last = -INFINITY;
  bool is_log = false;

  explicit CurveRange(const Curves& curves) : is_log(curves.is_log) {
    for (const Curve& curve : curves.curves)
      for (const Curve::Point& point : curve.points) {
        if (!is_drawn(point)) continue;
        low = std::min(low, height(point.loss));
        high = std::max(high, height(point.loss));
        first = std::min(first, point.x);
        last = std::max(last, point.x);
      }
  }
  bool is_empty() const { return low > high; }
  bool is_drawn(const Curve::Point& point) const { return !is_log || point.loss > 0; }
  double height(double loss) const { return is_log ? std::log10(loss) : loss; }
  double loss(double height) const { return is_log ? std::pow(10, height) : height; }
};

/// Returns numbers of the form 1, 2 or 5 times a power of ten between two others, about `count` of them.
std::vector<double> round_numbers(double low, double high, int count) {
  if (high <= low) return {low};
  const double most = (high - low) / count, power = std::pow(10, std::floor(std::log10(most)));
  const double distance = power * (most < 1.5 * power ? 1 : most < 3.5 * power ? 2 : most < 7.5 * power ? 5 : 10);
  std::vector<double> numbers;
  for (double at = std::ceil(low / distance - 1e-9) * distance; at <= high + 1e-9 * distance; at += distance)
    numbers.push_back(std::abs(at) < 1e-9 * distance ? 0 : at);
  return numbers;
}

/// Returns the losses at which a scale has marks.
std::vector<double> marks_of(const CurveRange& range) {
  if (!range.is_log) return round_numbers(range.low, range.high, 5);
  std::vector<double> marks;
  const bool is_short = range.high - range.low < 3;
  for (double decade = std::floor(range.low); decade <= range.high; ++decade)
    for (const double step : {1.0, 2.0, 5.0}) {
      const double at = decade + std::log10(step);
      if ((step == 1 || is_short) && at >= range.low - 1e-9 && at <= range.high + 1e-9)
        marks.push_back(std::pow(10, decade) * step);
    }
  return marks.empty() ? std::vector<double>{range.loss(range.low), range.loss(range.high)} : marks;
}

/// Letters of the curves in characters, and their colours and dashes. Of several runs, each has a colour, and each name
/// has dashes.
constexpr std::string_view kCurveLetters = "*o+x#@%&";
constexpr const char* kCurveColours[] = {"#7a5195", "#2f8f6b", "#c25b9b", "#a0801f", "#3d6fb0", "#7f7f7f"};
constexpr const char* kCurveDashes[] = {"", "6 3", "2 2", "8 3 2 3"};

}  // namespace

std::string plot(const Curves& curves, std::size_t columns, std::size_t rows) {
  const CurveRange range(curves);
  if (range.is_empty() || rows < 2 || columns < 16) return {};
  std::vector<std::string> marks;
  for (std::size_t row = 0; row < rows; ++row)
    marks.push_back(fmt::format("{:.4g}", range.loss(range.high - (range.high - range.low) * static_cast<double>(row) /
                                                                      static_cast<double>(rows - 1))));
  std::size_t width = 0, most = 0;
  for (const std::string& mark : marks) width = std::max(width, mark.size());
  for (const Curve& curve : curves.curves) most = std::max(most, curve.points.size());
  const std::size_t cells = std::min(columns - width - 3, most);
  std::vector<std::string> lines(rows, std::string(cells, ' '));
  for (std::size_t c = curves.curves.size(); c-- > 0;) {
    std::vector<double> sums(cells), counts(cells);
    for (const Curve::Point& point : curves.curves[c].points) {
      if (!range.is_drawn(point)) continue;
      const double share = range.last > range.first ? (point.x - range.first) / (range.last - range.first) : 0;
      const std::size_t cell = std::min(cells - 1, static_cast<std::size_t>(share * static_cast<double>(cells)));
      sums[cell] += range.height(point.loss);
      ++counts[cell];
    }
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (counts[cell] == 0) continue;
      const double share =
          range.high > range.low ? (range.high - sums[cell] / counts[cell]) / (range.high - range.low) : 0.5;
      lines[static_cast<std::size_t>(std::lround(share * static_cast<double>(rows - 1)))][cell] =
          kCurveLetters[c % kCurveLetters.size()];
    }
  }
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line =
        fmt::format("{:>{}} |", row == 0 || row + 1 == rows || row == rows / 2 ? marks[row] : "", width) + lines[row];
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  const bool is_count = curves.x == "losses printed";
  const std::string first =
      fmt::format("{}{}", is_count ? "" : curves.x + " ", thousands(static_cast<std::int64_t>(range.first)));
  const std::string last = thousands(static_cast<std::int64_t>(range.last));
  text += std::string(width + 1, ' ') + "+" + std::string(cells, '-') + "\n";
  text += std::string(width + 2, ' ') + first +
          std::string(cells > first.size() + last.size() ? cells - first.size() - last.size() : 1, ' ') + last + "\n";
  if (curves.curves.size() < 2) return text;
  std::string names;
  for (std::size_t c = 0; c < curves.curves.size(); ++c)
    names +=
        fmt::format("{}{} {}", c == 0 ? "" : "   ", kCurveLetters[c % kCurveLetters.size()], curves.curves[c].name);
  return text + std::string(width + 2, ' ') + names + "\n";
}

std::string curve_svg(const Curves& curves, const std::string& title) {
  constexpr double kLeft = 80, kTop = 40, kWidth = 680, kHeight = 320, kName = 18;
  const bool has_names = curves.curves.size() > 1;
  const double names = has_names ? kName * std::ceil(static_cast<double>(curves.curves.size()) / 2) + 10 : 0;
  std::string out = svg_begin("loss-curve", kLeft + kWidth + 30, kTop + kHeight + 40 + names) +
                    fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\">{}</text>\n", kLeft, xml_text(title));
  const CurveRange range(curves);
  if (range.is_empty())
    return out + fmt::format("<text x=\"{}\" y=\"{}\">no number was printed</text>\n</svg>\n", kLeft, kTop + 40);
  const double height = range.high > range.low ? range.high - range.low : 1,
               width = range.last > range.first ? range.last - range.first : 1;
  const auto x_of = [&](double x) { return kLeft + kWidth * (x - range.first) / width; };
  const auto y_of = [&](double loss) { return kTop + kHeight * (range.high - range.height(loss)) / height; };
  for (const double mark : marks_of(range))
    out += fmt::format(
        "<line x1=\"{}\" y1=\"{:.2f}\" x2=\"{}\" y2=\"{:.2f}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.2f}\" "
        "text-anchor=\"end\">{:.4g}</text>\n",
        kLeft, y_of(mark), kLeft + kWidth, y_of(mark), kLeft - 8, y_of(mark) + 4, mark);
  const auto text = [&](double x, const char* anchor, const std::string& what, double y) {
    out += fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, xml_text(what));
  };
  for (const double mark : round_numbers(range.first, range.last, 8))
    text(x_of(mark), "middle",
         mark == std::floor(mark) ? thousands(static_cast<std::int64_t>(mark)) : fmt::format("{:.4g}", mark),
         kTop + kHeight + 18);
  text(kLeft + kWidth, "end", curves.x, kTop + kHeight + 34);
  std::map<std::string, std::size_t> fields;  // the dashes of names that several runs have
  for (std::size_t c = 0; c < curves.curves.size(); ++c) {
    const Curve& curve = curves.curves[c];
    const std::string field =
        curve.name.substr(curve.name.rfind(": ") == std::string::npos ? 0 : curve.name.rfind(": "));
    const std::size_t dash = curves.runs > 1 ? fields.try_emplace(field, fields.size()).first->second : 0;
    const char* const colour = kCurveColours[(curves.runs > 1 ? curve.run : c) % std::size(kCurveColours)];
    const std::string pen = fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"{}\"",
                                        colour, kCurveDashes[dash % std::size(kCurveDashes)]);
    std::vector<Curve::Point> points;
    for (const Curve::Point& point : curve.points)
      if (range.is_drawn(point)) points.push_back(point);
    const std::string begin = "<polyline " + pen + " points=\"";
    if (points.size() == 1)
      out += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"{}\"/>\n", x_of(points[0].x),
                         y_of(points[0].loss), colour);
    out += begin;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i > 0 && points[i].x < points[i - 1].x) out += "\"/>\n" + begin;
      out += fmt::format("{:.2f},{:.2f} ", x_of(points[i].x), y_of(points[i].loss));
    }
    out += "\"/>\n";
    if (!has_names) continue;
    const double left = kLeft + (c % 2 == 0 ? 0 : kWidth / 2),
                 y = kTop + kHeight + 54 + kName * static_cast<double>(c / 2);
    out += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>", left, y - 4, left + 28, y - 4, pen);
    text(left + 34, "start", curve.name, y);
  }
  return out + "</svg>\n";
}

}  // namespace mtf::tool
