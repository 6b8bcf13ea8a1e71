#pragma once
// What `mtf plan` shows of a tree of costs.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/plan_tree.h"

namespace mtf::tool {

/// How costs are put together: along the program's structure; by line of source; by function; by the path of the model's
/// part that computes; each collective, with its reason; or every value (plan_text.h).
enum class PlanBy : std::uint8_t { kTree, kLine, kFunction, kPath, kCollective, kValue };
enum class PlanSort : std::uint8_t { kSource, kFlops, kBytes };

struct PlanView {
  PlanBy by = PlanBy::kTree;
  PlanSort sort = PlanSort::kSource;
  std::optional<int> depth;  ///< of the tree: all parts down to it, however many lines that takes
  int lines = 40;            ///< of a tree without `depth`, at most: what costs most is opened first
};

/// Lines of columns, with headings.
std::string view_text(const PlanTree& tree, const PlanView& view);
/// The tree, as JSON: an object a part, with its place, text, figures and parts.
std::string view_json(const PlanTree& tree);
/// A row a line of source, with headings.
std::string view_csv(const PlanTree& tree);

}  // namespace mtf::tool
