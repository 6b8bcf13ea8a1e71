#pragma once
#include <string>

#include "tool/losses.h"

namespace mtf::tool {

/// A curve from left to right, a self-contained SVG with its scales. It begins anew where steps do.
std::string curve_svg(const LossCurve& curve, const std::string& title);

}  // namespace mtf::tool
