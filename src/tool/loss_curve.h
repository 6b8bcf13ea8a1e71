#pragma once
#include <string>
#include <vector>

namespace mtf::tool {

/// Numbers as a curve from left to right, a self-contained SVG with its scales. Numbers that are not finite are left out.
std::string curve_svg(const std::vector<double>& numbers, const std::string& title);

}  // namespace mtf::tool
