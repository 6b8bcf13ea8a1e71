#include "types/layout.h"

#include <algorithm>

#include "types/notation.h"

namespace mtf {

const LayoutRule* Layout::find(Name dim) const {
  for (const LayoutRule& rule : rules)
    if (rule.dim == dim) return &rule;
  return nullptr;
}

bool same_rules(const std::vector<LayoutRule>& a, const std::vector<LayoutRule>& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const LayoutRule& rule) {
           return std::any_of(b.begin(), b.end(), [&](const LayoutRule& other) {
             return rule.dim == other.dim && rule.axes == other.axes;
           });
         });
}

std::string to_string(const std::vector<LayoutRule>& rules) {
  std::string text;
  for (const LayoutRule& rule : rules) {
    text += (text.empty() ? "" : ", ") + rule.dim.str() + " -> ";
    std::string axes;
    for (Name axis : rule.axes) axes += (axes.empty() ? "" : ", ") + axis.str();
    text += rule.axes.size() == 1 ? axes : "[" + axes + "]";
  }
  return text;
}

std::string to_string(const Layout& layout) { return "{" + to_string(layout.rules) + "}"; }

std::vector<LayoutRule> parse_layout_rules(const std::string& text) {
  std::vector<LayoutRule> rules;
  for (const auto& [dim, value] : parse_pairs(text, "dim", "axis, such as batch:rows or batch:rows+cols")) {
    LayoutRule rule{Name(dim), {}, {}};
    size_t at = 0;
    while (at <= value.size()) {
      size_t end = std::min(value.find('+', at), value.size());
      if (end == at) throw std::invalid_argument("expected an axis beside each `+`, found `" + dim + ":" + value + "`");
      const Name axis(value.substr(at, end - at));
      if (std::find(rule.axes.begin(), rule.axes.end(), axis) != rule.axes.end())
        throw std::invalid_argument("axis `" + axis.str() + "` stands twice in the rule of `" + dim + "`");
      rule.axes.push_back(axis);
      at = end + 1;
    }
    for (const LayoutRule& other : rules)
      if (other.dim == rule.dim) throw std::invalid_argument("dim `" + dim + "` stands twice in the layout");
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace mtf
