#include "tool/loss_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/text.h"
#include "tool/picture.h"

namespace mtf::tool {

std::string curve_svg(const LossCurve& curve, const std::string& title) {
  constexpr double kLeft = 80, kTop = 40, kWidth = 680, kHeight = 320;
  std::string out = svg_begin("loss-curve", kLeft + kWidth + 30, kTop + kHeight + 40) + fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\">{}</text>\n", kLeft, xml_text(title));
  if (curve.points.empty()) return out + fmt::format("<text x=\"{}\" y=\"{}\">no number was printed</text>\n</svg>\n", kLeft, kTop + 40);
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
    out += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.4g}</text>\n", kLeft, y, kLeft + kWidth, y, kLeft - 8, y + 4,
                       high - range * mark / 4);
  }
  const std::string begin = "<polyline fill=\"none\" stroke=\"#4a7fb5\" stroke-width=\"1.5\" points=\"";
  out += begin;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const LossCurve::Point& point = curve.points[i];
    if (i > 0 && point.x < curve.points[i - 1].x) out += "\"/>\n" + begin;
    out += fmt::format("{:.2f},{:.2f} ", kLeft + kWidth * (point.x - first) / width, kTop + kHeight * (high - point.loss) / range);
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
