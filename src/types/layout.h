#pragma once
// Layouts: which dims are split over which mesh axes.
//
// A layout is a partial map from names of dims (as text: the dims need not exist) to names of mesh axes. It belongs to
// no mesh; whether the two fit is checked where a tensor is made under them.
#include <memory>
#include <string>
#include <vector>

#include "support/name.h"
#include "support/source.h"

namespace mtf {

/// One rule `dim -> axis` or `dim -> [axis, axis]`.
struct LayoutRule {
  Name dim;
  std::vector<Name> axes;
  Span span;  ///< where it is written; empty when it came from the command line
};

struct Layout {
  Name name;
  std::vector<LayoutRule> rules;
  Span span;
  /// The rule for a dim, or null.
  const LayoutRule* find(Name dim) const;
};
using LayoutPtr = std::shared_ptr<const Layout>;

/// They split the same dims over the same axes, in whatever order and wherever they are written.
bool same_rules(const std::vector<LayoutRule>& a, const std::vector<LayoutRule>& b);

/// `batch -> rows, hidden -> [cols, planes]`
std::string to_string(const std::vector<LayoutRule>& rules);
/// The same in braces.
std::string to_string(const Layout& layout);

/// Parses `batch:rows;hidden:cols+planes`. Throws std::invalid_argument as parse_axes does.
std::vector<LayoutRule> parse_layout_rules(const std::string& text);

}  // namespace mtf
