#pragma once
// What `mtf plan` shows of a tree of costs.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/present/plan_text.h"
#include "tool/present/plan_tree.h"

namespace mtf::tool {

/// How costs are put together: along the program's structure; by line of source; by function; by the path of the
/// model's part that computes; each collective, with its reason; or every value (plan_text.h).
enum class PlanBy : std::uint8_t { kTree, kLine, kFunction, kPath, kCollective, kValue };
enum class PlanSort : std::uint8_t { kSource, kFlops, kBytes };

struct PlanView {
  PlanBy by = PlanBy::kTree;
  std::optional<PlanSort>
      sort;  ///< without one the tree is in the order of the source, a list in that of flops or, of collectives, bytes
  std::optional<int> depth;  ///< of the tree: all parts down to it, however many lines that takes
  int lines = 40;            ///< of a tree without `depth`, at most: what costs most is opened first
  std::size_t width = 0;     ///< what is wider is cut off; 0: nothing is
};

/// What `--by` and `--sort` say. Throws UserError of kind bad_option_value.
PlanBy plan_by(const std::string& word);
PlanSort plan_sort(const std::string& word);

/// Fails (bad_usage) if an option is given that says nothing of what is shown: `is_given` tells of one by its name.
void refuse_unused(PlanBy by, const std::function<bool(std::string_view)>& is_given);

/// Lines of columns, with headings.
std::string view_text(const PlanTree& tree, const PlanView& view);
/// The tree, as JSON: an object a part, with its place, text, figures and parts. In the first, the program, also what
/// it is in all.
std::string view_json(const PlanTree& tree, const PlanSummary& summary);
/// A row a line of source, with headings. Behind an empty line, with headings, a row a figure of what the program is in
/// all: its name, of what it is (a collective, a place), the figure.
std::string view_csv(const PlanTree& tree, const PlanSummary& summary);

}  // namespace mtf::tool
