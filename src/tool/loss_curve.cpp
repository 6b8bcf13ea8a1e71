#include "tool/loss_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/text.h"
#include "tool/picture.h"

namespace mtf::tool {

std::string curve_svg(const std::vector<double>& numbers, const std::string& title) {
  constexpr double kLeft = 80, kTop = 40, kWidth = 680, kHeight = 320;
  double low = INFINITY, high = -INFINITY;
  for (double number : numbers) {
    if (!std::isfinite(number)) continue;
    low = std::min(low, number);
    high = std::max(high, number);
  }
  std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                                "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{2}\" y=\"24\" font-size=\"15\">{3}</text>\n",
                                kLeft + kWidth + 30, kTop + kHeight + 40, kLeft, xml_text(title));
  if (!(low <= high)) return out + fmt::format("<text x=\"{}\" y=\"{}\">no number was printed</text>\n</svg>\n", kLeft, kTop + 40);
  const double range = high > low ? high - low : 1, last = static_cast<double>(std::max<std::size_t>(numbers.size(), 2) - 1);
  for (int mark = 0; mark <= 4; ++mark) {
    const double y = kTop + kHeight * mark / 4;
    out += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.4g}</text>\n", kLeft, y, kLeft + kWidth, y, kLeft - 8, y + 4,
                       high - range * mark / 4);
  }
  out += "<polyline fill=\"none\" stroke=\"#4a7fb5\" stroke-width=\"1.5\" points=\"";
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (std::isfinite(numbers[i])) out += fmt::format("{:.2f},{:.2f} ", kLeft + kWidth * static_cast<double>(i) / last, kTop + kHeight * (high - numbers[i]) / range);
  out += fmt::format("\"/>\n<text x=\"{}\" y=\"{}\">1</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft, kTop + kHeight + 20, kLeft + kWidth, kTop + kHeight + 20,
                     thousands(static_cast<std::int64_t>(numbers.size())));
  return out + "</svg>\n";
}

}  // namespace mtf::tool
