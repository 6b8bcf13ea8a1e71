#pragma once
// Layouts: the mesh axes that split dims.
//
// A layout is a partial map from plain names of dims (which need not exist) to names of mesh axes. It belongs to no
// mesh. Whether it fits the mesh is checked when a tensor is made. By their paths a layout may also give params and
// states another layout in storage than in computations, and lay out the results of calls of models.
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/name.h"
#include "support/source.h"
#include "types/by_path.h"

namespace mtf {

/// One rule `dim -> axis` or `dim -> [axis, axis]`.
struct LayoutRule {
  Name dim;  ///< a plain name, for every dim called so; behind `@` the name of one dim
  std::vector<Name> axes;
  Span span;  ///< its span; empty if it came from the command line
};

/// `params "blocks[*].*": {d_model -> data, vocab -> data}`: a layout for what has a path that matches the pattern
/// (support/text.h, matches).
struct PathRule {
  ByPath of = ByPath::kParams;
  std::string path;
  std::vector<LayoutRule> rules;  ///< claim axes in this order; a claim of a taken axis is dropped
  Span span;
};

struct Layout {
  Name name = {};
  std::vector<LayoutRule> rules = {};
  Span span = {};
  std::vector<PathRule> by_path = {};
  /// The rule for a dim, by its own name or its plain one, or null.
  const LayoutRule* find(Name dim) const;
  /// The rule for this path, or null. The last matching rule wins.
  const PathRule* find(ByPath of, std::string_view path) const;
  /// True if rules by path decide how params or states are stored.
  bool stores_by_path() const;
  /// True if rules by path lay out the results of calls.
  bool lays_out_results() const;
  /// Visits all rules for dims, then those by path.
  void each_rule(const std::function<void(const LayoutRule&)>& visit) const;
};
using LayoutPtr = std::shared_ptr<const Layout>;

/// True if both split the same dims over the same axes, in any order of rules.
bool same_rules(const std::vector<LayoutRule>& a, const std::vector<LayoutRule>& b);
/// The same for two layouts. Rules by path must also have the same order.
bool same_rules(const Layout& a, const Layout& b);

/// `batch -> rows, hidden -> [cols, planes]`
std::string to_string(const std::vector<LayoutRule>& rules);
/// `params "*": {d_model -> data}`
std::string to_string(const PathRule& rule);
/// All rules in braces.
std::string to_string(const Layout& layout);

/// Parses `batch:rows;hidden:cols+planes`. An entry `params "blocks[*].*":d_model:data` is a rule for params by path;
/// entries of one path form one rule. `params "head":` is a rule without axes. Throws std::invalid_argument as
/// parse_axes does.
Layout parse_layout(const std::string& text);
/// The layout in that notation.
std::string notation(const Layout& layout);

}  // namespace mtf
