#pragma once
// Layouts: which dims are split over which mesh axes.
//
// A layout is a partial map from plain names of dims (the dims need not exist) to names of mesh axes. It belongs to
// no mesh; whether the two fit is checked where a tensor is made under them. Besides, it may say by their paths how
// params and states are stored: otherwise than what is computed with them.
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/name.h"
#include "support/source.h"

namespace mtf {

/// One rule `dim -> axis` or `dim -> [axis, axis]`.
struct LayoutRule {
  Name dim;  ///< a plain name, of every dim that is called so; or behind `@` the name of one dim
  std::vector<Name> axes;
  Span span;  ///< where it is written; empty when it came from the command line
};

/// `params "blocks[*].*": {d_model -> data, vocab -> data}`: how those params, or states, are stored whose paths are as
/// the pattern (support/text.h, matches).
struct StoredRule {
  bool trainable = true;  ///< params
  std::string path;
  std::vector<LayoutRule> rules;  ///< claim axes in this order: on an axis that one before has, a claim is dropped
  Span span;
};

struct Layout {
  Name name = {};
  std::vector<LayoutRule> rules = {};
  Span span = {};
  std::vector<StoredRule> stored = {};
  /// The rule for a dim, by its own name or its plain one; or null.
  const LayoutRule* find(Name dim) const;
  /// What speaks of a param (`trainable`) or state of this path: of several that match, the last; or null.
  const StoredRule* find_stored(bool trainable, std::string_view path) const;
  /// All rules of dims, those by path behind the others.
  void each_rule(const std::function<void(const LayoutRule&)>& visit) const;
};
using LayoutPtr = std::shared_ptr<const Layout>;

/// They split the same dims over the same axes, in whatever order and wherever they are written.
bool same_rules(const std::vector<LayoutRule>& a, const std::vector<LayoutRule>& b);
/// And say the same by path, in the same order.
bool same_rules(const Layout& a, const Layout& b);

/// `batch -> rows, hidden -> [cols, planes]`
std::string to_string(const std::vector<LayoutRule>& rules);
/// `params "*": {d_model -> data}`
std::string to_string(const StoredRule& rule);
/// All in braces.
std::string to_string(const Layout& layout);

/// Parses `batch:rows;hidden:cols+planes`. Entries `params "blocks[*].*":d_model:data` speak of params by path, those
/// of one path together; `params "head":` says that nothing does. Throws std::invalid_argument as parse_axes does.
Layout parse_layout(const std::string& text);
/// The text that gives the layout.
std::string notation(const Layout& layout);

}  // namespace mtf
