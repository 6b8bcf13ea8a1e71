#include "tool/golden/golden_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/shell/program_options.h"
#include "types/layout.h"
#include "types/mesh.h"

namespace mtf::tool {
namespace {

enum class LineKind { kOther, kOutput, kError, kHeader };

struct Line {
  std::string_view whole;    // with its line end
  std::string_view content;  // without line end and indentation
  LineKind kind = LineKind::kOther;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    Line line{text.substr(0, size), trim(text.substr(0, size)), LineKind::kOther};
    if (line.content.starts_with("#>")) line.kind = LineKind::kOutput;
    else if (line.content.starts_with("#:")) line.kind = LineKind::kHeader;
    else if (line.content.starts_with("#!") && !(lines.empty() && line.content.starts_with("#!/")))
      line.kind = LineKind::kError;
    lines.push_back(line);
    text.remove_prefix(size);
  }
  return lines;
}

// More than any machine starts. mpirun itself counts in 32 bits.
constexpr std::int64_t kMostRanks = 4096;

std::string_view indentation(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

// The quoted words in `"" "all:4" 'params "*":a:all'`; in double quotes `\"` is a quote. Nothing if the text has
// anything else.
std::optional<std::vector<std::string>> quoted_words(std::string_view text) {
  std::vector<std::string> words;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const char quote = text.front();
    if (quote != '"' && quote != '\'') return std::nullopt;
    std::string word;
    std::size_t end = 1;
    for (; end < text.size() && text[end] != quote; ++end) {
      if (quote == '"' && text.substr(end).starts_with("\\\"")) ++end;
      word += text[end];
    }
    if (end == text.size()) return std::nullopt;
    words.push_back(std::move(word));
    text.remove_prefix(end + 1);
  }
  if (words.empty()) return std::nullopt;
  return words;
}

std::optional<std::vector<std::int64_t>> rank_numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto size = static_cast<std::size_t>(end - text.data());
    const bool alone = size == text.size() || text[size] == ' ' || text[size] == '\t';
    if (error != std::errc() || !alone || number < 1 || number > kMostRanks) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(size);
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

void append(std::optional<std::vector<std::string>>& to, std::vector<std::string> words) {
  if (!to) to.emplace();
  to->insert(to->end(), words.begin(), words.end());
}

// `steps=2 "name=a word"`: words, those with blanks in quotes. Nothing if one has no `=` behind a name.
std::optional<std::vector<std::string>> settings_in(std::string_view text) {
  std::vector<std::string> words;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const bool is_quoted = text.front() == '"';
    if (is_quoted) text.remove_prefix(1);
    const std::size_t end = is_quoted ? text.find('"') : std::min(text.find_first_of(" \t"), text.size());
    if (end == std::string_view::npos) return std::nullopt;
    words.emplace_back(text.substr(0, end));
    if (const std::size_t equals = words.back().find('='); equals == std::string::npos || equals == 0)
      return std::nullopt;
    text.remove_prefix(std::min(end + (is_quoted ? 1 : 0), text.size()));
  }
  if (words.empty()) return std::nullopt;
  return words;
}

// A number above 0 and below 1, and nothing else.
std::optional<double> tolerance_in(std::string_view text) {
  text = trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0 && value < 1)) return std::nullopt;
  return value;
}

/// Of the lines of a header so far: what is there already is what they said, and not what holds without.
struct Given {
  bool ranks = false, memory = false;
};

void parse_header(std::string_view content, std::size_t number, Given& given, GoldenFile& golden) {
  content = trim(content.substr(2));
  const std::size_t end = std::min(content.find_first_of(" \t"), content.size());
  const std::string word(content.substr(0, end));
  const std::string_view rest = content.substr(end);
  if (word == "meshes" || word == "layouts" || word == "memory") {
    auto words = quoted_words(rest);
    if (!words) {
      golden.problems.push_back(fmt::format("{}: `#: {}` is followed by quoted words, such as \"\" \"{}\"", number,
                                            word, word == "memory" ? "2MiB" : "all:4"));
    } else if (word == "memory") {
      if (!std::exchange(given.memory, true)) golden.memory.clear();
      golden.memory.insert(golden.memory.end(), words->begin(), words->end());
    } else {
      append(word == "meshes" ? golden.meshes : golden.layouts, std::move(*words));
    }
  } else if (word == "ranks") {
    auto numbers = rank_numbers(rest);
    if (!numbers) {
      golden.problems.push_back(fmt::format("{}: `#: ranks` is followed by numbers from 1 to {}", number, kMostRanks));
    } else {
      if (!std::exchange(given.ranks, true)) golden.ranks.clear();
      golden.ranks.insert(golden.ranks.end(), numbers->begin(), numbers->end());
    }
  } else if (word == "set") {
    if (auto words = settings_in(rest)) golden.set.insert(golden.set.end(), words->begin(), words->end());
    else golden.problems.push_back(fmt::format("{}: `#: set` is followed by settings, such as steps=2", number));
  } else if (word == "tolerance") {
    if (const auto value = tolerance_in(rest)) golden.tolerance = *value;
    else
      golden.problems.push_back(
          fmt::format("{}: `#: tolerance` is followed by a number between 0 and 1, such as 0.001", number));
  } else {
    golden.problems.push_back(fmt::format(
        "{}: a header is `#: meshes`, `#: layouts`, `#: memory`, `#: ranks`, `#: set` or `#: tolerance`, not `#: {}`",
        number, word));
  }
}

std::string_view after_mark(std::string_view content) {
  content.remove_prefix(2);
  if (content.starts_with(' ')) content.remove_prefix(1);
  return trim_right(content);
}

ExpectedError parse_error(std::string_view content, std::size_t at, std::size_t line) {
  content = trim(content.substr(2));
  const std::size_t colon = content.find(':');
  ExpectedError error{at, line, std::string(trim(content.substr(0, colon))), {}};
  if (colon != std::string_view::npos) error.text = trim(content.substr(colon + 1));
  return error;
}

// The axes of a mesh's text; `""` means the one axis `all` over the ranks.
std::vector<Axis> axes_of(const std::string& mesh, std::int64_t ranks) {
  if (trim(mesh).empty()) return {Axis{"all", ranks}};
  return parse_axes(mesh);
}

bool fits(const Layout& layout, const std::vector<Axis>& axes) {
  bool all = true;
  layout.each_rule([&](const LayoutRule& rule) {
    all = all && std::all_of(rule.axes.begin(), rule.axes.end(), [&](Name name) {
            return std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == name; });
          });
  });
  return all;
}

bool has_room(const std::vector<Axis>& axes, std::int64_t ranks) {
  std::int64_t processors = 1;
  for (const Axis& axis : axes) processors *= axis.size;
  return processors >= ranks;
}

// Reports each problem once for each mesh or layout, even if many combinations have it.
void complain(GoldenFile& golden, std::string sentence) {
  if (std::find(golden.problems.begin(), golden.problems.end(), sentence) == golden.problems.end())
    golden.problems.push_back(std::move(sentence));
}

bool can_run(const Combination& one, GoldenFile& golden) {
  std::vector<Axis> axes;
  Layout layout;
  try {
    if (one.mesh) axes = axes_of(*one.mesh, one.ranks);
  } catch (const std::invalid_argument& error) {
    complain(golden, fmt::format("1: mesh \"{}\": {}", *one.mesh, error.what()));
    return false;
  }
  try {
    if (one.layout && !trim(*one.layout).empty()) layout = parse_layout(*one.layout);
  } catch (const std::invalid_argument& error) {
    complain(golden, fmt::format("1: layout \"{}\": {}", *one.layout, error.what()));
    return false;
  }
  try {
    if (!one.memory.empty()) bytes_option(one.memory);
  } catch (const UserError& error) {
    complain(golden, fmt::format("1: {}", error.diagnostic().label()));
    return false;
  }
  return !one.mesh || (fits(layout, axes) && has_room(axes, one.ranks));
}

}  // namespace

std::string_view trim_right(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::vector<std::string> printed_lines(std::string_view output) {
  std::vector<std::string> lines;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    lines.emplace_back(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return lines;
}

namespace {

/// A number in a printed line: how long it is, its value, and the value of one in its last digit. An integer is text.
struct PrintedNumber {
  std::size_t size = 0;  ///< 0: no such number begins here
  double value = 0, last_digit = 0;
};

PrintedNumber number_at(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  if (text.size() <= sign || text[sign] < '0' || text[sign] > '9') return {};
  PrintedNumber number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.data()));
  const std::size_t point = digits.find('.'), exponent = std::min(digits.find_first_of("eE"), digits.size());
  if (error != std::errc() || (point == std::string_view::npos && exponent == digits.size())) return {};
  int power = 0;
  if (exponent < digits.size()) {
    const std::size_t begin = exponent + (digits[exponent + 1] == '+' ? 2 : 1);
    std::from_chars(digits.data() + begin, digits.data() + digits.size(), power);
  }
  if (point != std::string_view::npos) power -= static_cast<int>(exponent - point) - 1;
  number.last_digit = std::pow(10.0, power);
  number.size = digits.size();
  return number;
}

bool is_close(const PrintedNumber& a, const PrintedNumber& b, double tolerance) {
  const double difference = std::abs(a.value - b.value);
  constexpr double kRounding = 1.001;  // of what stands in decimal digits
  return difference <= tolerance * std::max(std::abs(a.value), std::abs(b.value)) ||
         difference <= std::max(a.last_digit, b.last_digit) * kRounding;
}

bool fits(std::string_view expected, std::string_view found, double tolerance, std::string_view any_text) {
  bool in_word = false;  // a number does not begin inside a word or another number
  while (!expected.empty()) {
    if (!any_text.empty() && expected.starts_with(any_text)) {
      expected.remove_prefix(any_text.size());
      for (std::size_t skipped = 0; skipped <= found.size(); ++skipped)
        if (fits(expected, found.substr(skipped), tolerance, any_text)) return true;
      return false;
    }
    if (tolerance > 0 && !in_word) {
      const PrintedNumber a = number_at(expected), b = number_at(found);
      if (a.size > 0 && b.size > 0 && is_close(a, b, tolerance)) {
        expected.remove_prefix(a.size);
        found.remove_prefix(b.size);
        in_word = true;
        continue;
      }
    }
    if (found.empty() || expected.front() != found.front()) return false;
    const char c = found.front();
    in_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    expected.remove_prefix(1);
    found.remove_prefix(1);
  }
  return found.empty();
}

}  // namespace

bool is_same_line(std::string_view a, std::string_view b, double tolerance) { return fits(a, b, tolerance, {}); }

bool fits_line(std::string_view expected, std::string_view found, double tolerance) {
  return fits(expected, found, tolerance, "…");
}

GoldenFile parse_golden(std::string_view text) {
  GoldenFile golden;
  Given given;
  std::size_t number = 0, program_line = 0;
  for (const Line& line : lines_of(text)) {
    ++number;
    switch (line.kind) {
      case LineKind::kOther: program_line = number; break;
      case LineKind::kHeader: parse_header(line.content, number, given, golden); break;
      case LineKind::kOutput: golden.output.push_back({number, std::string(after_mark(line.content))}); break;
      case LineKind::kError: golden.errors.push_back(parse_error(line.content, number, program_line)); break;
    }
  }
  return golden;
}

std::string to_string(const Combination& combination) {
  std::vector<std::string> parts;
  if (combination.mesh) parts.push_back(fmt::format("--mesh \"{}\"", *combination.mesh));
  if (combination.layout) parts.push_back(fmt::format("--layout \"{}\"", *combination.layout));
  if (!combination.memory.empty()) parts.push_back(fmt::format("--memory \"{}\"", combination.memory));
  for (const std::string& each : combination.set) parts.push_back(fmt::format("--set {}", each));
  if (combination.ranks > 1) parts.push_back(fmt::format("on {} ranks", combination.ranks));
  return join(parts, " ");
}

std::vector<Combination> combinations(GoldenFile& golden) {
  std::vector<std::optional<std::string>> meshes{std::nullopt}, layouts{std::nullopt};
  if (golden.meshes) meshes.assign(golden.meshes->begin(), golden.meshes->end());
  if (golden.layouts) layouts.assign(golden.layouts->begin(), golden.layouts->end());
  std::vector<Combination> list;
  // Few ranks come first: an error that occurs everywhere then costs least.
  for (const std::int64_t ranks : golden.ranks)
    for (const auto& mesh : meshes)
      for (const auto& layout : layouts)
        for (const std::string& memory : golden.memory)
          if (Combination one{mesh, layout, ranks, memory, golden.set}; can_run(one, golden))
            list.push_back(std::move(one));
  const bool understood = golden.problems.empty();
  const auto require = [&](const char* what, const std::optional<std::string>& wanted, auto member) {
    const bool runs =
        std::any_of(list.begin(), list.end(), [&](const Combination& one) { return one.*member == wanted; });
    if (!runs && understood)
      complain(golden,
               fmt::format("1: {} \"{}\" fits no combination of the header, so it would never run", what, *wanted));
  };
  if (golden.meshes)
    for (const auto& mesh : meshes) require("mesh", mesh, &Combination::mesh);
  if (golden.layouts)
    for (const auto& layout : layouts) require("layout", layout, &Combination::layout);
  return list;
}

ErrorMismatch match_errors(const std::vector<ExpectedError>& expected, const std::vector<FoundError>& found) {
  ErrorMismatch mismatch;
  std::vector<bool> used(found.size(), false);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::size_t k = 0;
    while (k < found.size() && (used[k] || found[k].line != expected[i].line || found[k].kind != expected[i].kind ||
                                found[k].words.find(expected[i].text) == std::string::npos))
      ++k;
    if (k < found.size()) used[k] = true;
    else mismatch.missing.push_back(i);
  }
  for (std::size_t k = 0; k < found.size(); ++k)
    if (!used[k] && found[k].is_error) mismatch.surprising.push_back(k);
  return mismatch;
}

std::vector<std::size_t> unasked_errors(const std::vector<ExpectedError>& expected,
                                        const std::vector<FoundError>& found) {
  const ErrorMismatch mismatch = match_errors(expected, found);
  std::vector<std::size_t> unasked;
  for (const std::size_t k : mismatch.surprising) {
    const bool is_asked = std::any_of(mismatch.missing.begin(), mismatch.missing.end(), [&](std::size_t i) {
      return expected[i].line == found[k].line && (expected[i].kind.empty() || expected[i].kind == found[k].kind);
    });
    if (!is_asked) unasked.push_back(k);
  }
  return unasked;
}

// ---- rewriting ------------------------------------------------------------------------------------------------------

namespace {

// The changes of a file's lines: each line is kept, replaced or removed, and may be followed by new lines.
struct Edit {
  std::optional<std::string> text;
  std::vector<std::string> below;
};

class Rewriter {
 public:
  Rewriter(std::string_view text, double tolerance)
      : lines_(lines_of(text)), tolerance_(tolerance), edits_(lines_.size() + 1) {
    for (const Line& line : lines_)
      edits_[static_cast<std::size_t>(&line - lines_.data()) + 1].text = std::string(line.whole);
    if (!lines_.empty() && lines_.front().whole.ends_with("\r\n")) end_ = "\r\n";
  }

  // Replaces the `#>` between two lines by `wanted`, the output of the statement that ends on `last`.
  void set_output(std::size_t from, std::size_t until, std::size_t first, std::size_t last,
                  const std::vector<std::string>& wanted) {
    std::vector<std::size_t> there;
    for (std::size_t at = from; at < until; ++at)
      if (line(at).kind == LineKind::kOutput) there.push_back(at);
    if (there.size() == wanted.size()) {
      for (std::size_t i = 0; i < there.size(); ++i)
        if (!fits_line(after_mark(line(there[i]).content), trim_right(wanted[i]), tolerance_))
          edits_[there[i]].text = made(there[i], "#>", wanted[i]);
      return;
    }
    for (const std::size_t at : there) edits_[at].text.reset();
    for (const std::string& text : wanted) edits_[last].below.push_back(made(first, "#>", text));
  }

  void set_errors(const std::vector<ExpectedError>& expected, const std::vector<FoundError>& found) {
    const ErrorMismatch mismatch = match_errors(expected, found);
    for (const std::size_t i : mismatch.missing) edits_[expected[i].at].text.reset();
    for (const std::size_t k : mismatch.surprising) {
      const FoundError& error = found[k];
      std::size_t at = std::min(error.line, lines_.size());
      edits_[at].below.push_back(
          made(at, "#!", error.kind + ": " + std::string(error.sentence.substr(0, error.sentence.find('\n')))));
    }
  }

  std::string text() const {
    std::string out;
    const auto add = [&](const std::string& line) {
      if (!out.empty() && out.back() != '\n') out += end_;
      out += line;
    };
    for (const Edit& edit : edits_) {
      if (edit.text) add(*edit.text);
      for (const std::string& line : edit.below) add(line);
    }
    return out;
  }

  std::size_t line_count() const { return lines_.size(); }

 private:
  const Line& line(std::size_t number) const { return lines_[number - 1]; }

  // Makes an expectation with the indentation of line `like`.
  std::string made(std::size_t like, std::string_view mark, std::string_view text) const {
    const std::string_view indent = like == 0 ? std::string_view() : indentation(line(like).whole);
    return fmt::format("{}{}{}", indent, trim_right(fmt::format("{} {}", mark, text)), end_);
  }

  std::vector<Line> lines_;
  double tolerance_;
  std::vector<Edit> edits_;  // by line, from 1; 0 is the place before the first
  std::string end_ = "\n";
};

// Joins statements that share a line, because they print together.
std::vector<StatementOutput> joined(const std::vector<StatementOutput>& statements, std::size_t line_count) {
  std::vector<StatementOutput> list;
  for (StatementOutput one : statements) {
    one.first_line = std::clamp<std::size_t>(one.first_line, 1, std::max<std::size_t>(line_count, 1));
    one.last_line = std::clamp(one.last_line, one.first_line, std::max<std::size_t>(line_count, 1));
    if (!list.empty() && one.first_line <= list.back().last_line) {
      list.back().last_line = std::max(list.back().last_line, one.last_line);
      list.back().lines.insert(list.back().lines.end(), one.lines.begin(), one.lines.end());
    } else {
      list.push_back(std::move(one));
    }
  }
  return list;
}

}  // namespace

std::string update_golden(std::string_view text, const std::vector<StatementOutput>& statements,
                          const std::vector<FoundError>& errors) {
  const GoldenFile golden = parse_golden(text);
  Rewriter rewriter(text, golden.tolerance);
  const std::size_t end = rewriter.line_count() + 1;
  if (end > 1) {
    const std::vector<StatementOutput> list = joined(statements, rewriter.line_count());
    const std::size_t first = list.empty() ? end : list.front().first_line;
    rewriter.set_output(1, first, 1, 1, {});  // nothing prints before the first statement
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t until = i + 1 < list.size() ? list[i + 1].first_line : end;
      rewriter.set_output(list[i].first_line, until, list[i].first_line, list[i].last_line, list[i].lines);
    }
    rewriter.set_errors(golden.errors, errors);
  }
  return rewriter.text();
}

}  // namespace mtf::tool
