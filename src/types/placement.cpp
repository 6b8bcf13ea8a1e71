#include "types/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "support/text.h"

namespace mtf {
namespace {

/// Reads a permutation of the numbers from 0 on.
std::vector<std::int64_t> read_order(const std::string& text) {
  std::vector<std::int64_t> order;
  for (const std::string& part : split(text, ',')) {
    const std::string_view word = trim(part);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || word.empty() || number < 0)
      throw std::invalid_argument(fmt::format("expected a processor's number, found `{}`", word));
    order.push_back(number);
  }
  std::vector<std::int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<std::int64_t>(i))
      throw std::invalid_argument(fmt::format("{} numbers must be 0 to {}, each once", order.size(), order.size() - 1));
  return order;
}

}  // namespace

Placement Placement::parse(const std::string& text) {
  Placement placement;
  if (text.find(':') == std::string::npos) {
    placement.processors_ = read_order(text);
    return placement;
  }
  for (const std::string& part : split(text, ';')) {
    const std::size_t colon = part.find(':');
    const std::string_view axis = trim(std::string_view(part).substr(0, colon));
    if (colon == std::string::npos || axis.empty())
      throw std::invalid_argument(fmt::format("expected an axis, `:` and numbers, found `{}`", trim(part)));
    const Name name{std::string(axis)};
    for (const auto& [known, order] : placement.axes_)
      if (known == name) throw std::invalid_argument(fmt::format("the axis `{}` is placed twice", axis));
    placement.axes_.emplace_back(name, read_order(part.substr(colon + 1)));
  }
  return placement;
}

bool Placement::fits(const Mesh& mesh) const {
  if (axes_.empty()) return static_cast<std::int64_t>(processors_.size()) == mesh.size();
  return std::all_of(axes_.begin(), axes_.end(), [&](const auto& each) {
    const int axis = mesh.find(each.first);
    return axis >= 0 && mesh.axis_size(axis) == static_cast<std::int64_t>(each.second.size());
  });
}

std::vector<std::int64_t> Placement::on(const Mesh& mesh) const {
  if (empty() || !fits(mesh)) return {};
  if (axes_.empty()) return processors_;
  std::vector<std::int64_t> there;
  for (std::int64_t place = 0; place < mesh.size(); ++place) {
    Coordinates coordinates = mesh.coordinates(place);
    for (const auto& [name, order] : axes_) {
      auto& coordinate = coordinates[static_cast<std::size_t>(mesh.find(name))];
      coordinate = order[static_cast<std::size_t>(coordinate)];
    }
    there.push_back(mesh.processor(coordinates));
  }
  return there;
}

std::string Placement::misfit(const std::string& mesh) const {
  if (axes_.empty())
    return fmt::format("--placement \"{}\": expected every processor of the mesh {}, found {}", text(), mesh,
                       count_text(static_cast<std::int64_t>(processors_.size()), "number"));
  std::vector<std::string> found;
  for (const auto& [name, order] : axes_) found.push_back(fmt::format("{}: {}", name.text(), order.size()));
  return fmt::format("--placement \"{}\": expected axes of the mesh {}, found [{}]", text(), mesh,
                     fmt::join(found, ", "));
}

std::string Placement::text() const {
  if (axes_.empty()) return fmt::format("{}", fmt::join(processors_, ","));
  std::vector<std::string> rules;
  for (const auto& [name, order] : axes_) rules.push_back(fmt::format("{}:{}", name.text(), fmt::join(order, ",")));
  return fmt::format("{}", fmt::join(rules, ";"));
}

}  // namespace mtf
