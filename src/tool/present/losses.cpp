#include "tool/present/losses.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

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
  std::optional<double> step;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (!is_blank_or_mark(line[at])) continue;
    const bool is_step = word_ends(line, at, "step", true);
    if (!is_step && !word_ends(line, at, "loss", false)) continue;
    while (at < line.size() && is_blank_or_mark(line[at])) ++at;
    double number = 0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), number);
    if (error != std::errc()) continue;
    if (is_step) {
      step = number;
    } else {
      last_.assign(line.data() + at, end);
      if (all_.size() < kMostLosses) all_.push_back({number, std::nullopt});
    }
    at = static_cast<std::size_t>(end - line.data());
  }
  for (std::size_t i = before; i < all_.size(); ++i) all_[i].step = step;
}

LossCurve Losses::curve() const {
  LossCurve curve;
  curve.is_by_step =
      std::any_of(all_.begin(), all_.end(), [](const Loss& loss) { return loss.step && std::isfinite(*loss.step); });
  std::optional<double> at;
  double count = 0;
  for (const Loss& loss : all_) {
    ++count;
    if (loss.step && std::isfinite(*loss.step)) at = loss.step;
    if (!std::isfinite(loss.number) || (curve.is_by_step && !at)) continue;
    curve.points.push_back({curve.is_by_step ? *at : count, loss.number});
  }
  return curve;
}

std::string plot(const LossCurve& curve, std::size_t columns, std::size_t rows) {
  const std::vector<LossCurve::Point>& points = curve.points;
  if (points.empty() || rows < 2 || columns < 16) return {};
  const auto by_loss = [](const auto& a, const auto& b) { return a.loss < b.loss; };
  const auto by_x = [](const auto& a, const auto& b) { return a.x < b.x; };
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_loss);
  const auto [left, right] = std::minmax_element(points.begin(), points.end(), by_x);
  const double least = low->loss, most = high->loss, begin = left->x, range = right->x - left->x;
  std::vector<std::string> marks;
  for (std::size_t row = 0; row < rows; ++row)
    marks.push_back(
        fmt::format("{:.4g}", most - (most - least) * static_cast<double>(row) / static_cast<double>(rows - 1)));
  std::size_t width = 0;
  for (const std::string& mark : marks) width = std::max(width, mark.size());
  const std::size_t cells = std::min(columns - width - 3, points.size());
  std::vector<double> sums(cells), counts(cells);
  for (const LossCurve::Point& point : points) {
    const double share = range > 0 ? (point.x - begin) / range : 0;
    const std::size_t cell = std::min(cells - 1, static_cast<std::size_t>(share * static_cast<double>(cells)));
    sums[cell] += point.loss;
    ++counts[cell];
  }
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line = fmt::format("{:>{}} |", row == 0 || row + 1 == rows || row == rows / 2 ? marks[row] : "", width);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const double share = most > least ? (most - sums[cell] / counts[cell]) / (most - least) : 0.5;
      line +=
          counts[cell] > 0 && std::lround(share * static_cast<double>(rows - 1)) == static_cast<long>(row) ? '*' : ' ';
    }
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  const std::string first =
      fmt::format("{}{}", curve.is_by_step ? "step " : "", thousands(static_cast<std::int64_t>(begin)));
  const std::string last = thousands(static_cast<std::int64_t>(right->x));
  text += std::string(width + 1, ' ') + "+" + std::string(cells, '-') + "\n";
  return text + std::string(width + 2, ' ') + first +
         std::string(cells > first.size() + last.size() ? cells - first.size() - last.size() : 1, ' ') + last + "\n";
}

std::string curve_svg(const LossCurve& curve, const std::string& title) {
  constexpr double kLeft = 80, kTop = 40, kWidth = 680, kHeight = 320;
  std::string out = svg_begin("loss-curve", kLeft + kWidth + 30, kTop + kHeight + 40) +
                    fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\">{}</text>\n", kLeft, xml_text(title));
  if (curve.points.empty())
    return out + fmt::format("<text x=\"{}\" y=\"{}\">no number was printed</text>\n</svg>\n", kLeft, kTop + 40);
  double low = INFINITY, high = -INFINITY, first = INFINITY, last = -INFINITY;
  for (const LossCurve::Point& point : curve.points) {
    low = std::min(low, point.loss);
    high = std::max(high, point.loss);
    first = std::min(first, point.x);
    last = std::max(last, point.x);
  }
  const double range = high > low ? high - low : 1, width = last > first ? last - first : 1;
  for (int mark = 0; mark <= 4; ++mark) {
    const double y = kTop + kHeight * mark / 4;
    out += fmt::format(
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" "
        "text-anchor=\"end\">{:.4g}</text>\n",
        kLeft, y, kLeft + kWidth, y, kLeft - 8, y + 4, high - range * mark / 4);
  }
  const std::string begin = "<polyline fill=\"none\" stroke=\"#4a7fb5\" stroke-width=\"1.5\" points=\"";
  out += begin;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const LossCurve::Point& point = curve.points[i];
    if (i > 0 && point.x < curve.points[i - 1].x) out += "\"/>\n" + begin;
    out += fmt::format("{:.2f},{:.2f} ", kLeft + kWidth * (point.x - first) / width,
                       kTop + kHeight * (high - point.loss) / range);
  }
  out += "\"/>\n";
  const auto text = [&](double x, const char* anchor, const std::string& what) {
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, kTop + kHeight + 20, anchor, what);
  };
  text(kLeft, "start", thousands(static_cast<std::int64_t>(first)));
  text(kLeft + kWidth / 2, "middle", curve.is_by_step ? "step" : "losses printed");
  text(kLeft + kWidth, "end", thousands(static_cast<std::int64_t>(last)));
  return out + "</svg>\n";
}

}  // namespace mtf::tool
