#pragma once
// The views of `mtf plan` on a tree of costs.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/present/plan_text.h"

namespace mtf::tool {

/// The grouping of costs: along the program's structure; by line of source; by function; by the path of the model part
/// that computes; by collective, with its reason; or by value (plan_text.h).
enum class PlanBy : std::uint8_t { kTree, kLine, kFunction, kPath, kCollective, kValue };
enum class PlanSort : std::uint8_t { kSource, kFlops, kBytes, kTime };

struct PlanView {
  PlanBy by = PlanBy::kTree;
  std::optional<PlanSort> sort;  ///< default: a tree in the order of the source; a list by time if it is known, else by
                                 ///< flops or, of collectives, by bytes
  std::optional<int> depth;      ///< of a tree: all parts down to this depth, with any number of lines
  int lines = 40;         ///< of a tree without `depth`: the most lines; the most expensive parts are opened first
  std::size_t width = 0;  ///< wider lines are cut off; 0: no limit
};

/// Read the values of `--by` and `--sort`. Throw UserError of kind bad_option_value.
PlanBy plan_by(const std::string& word);
PlanSort plan_sort(const std::string& word);

/// Fails (bad_usage) if a given option does not apply to the view; `is_given` is true for the names of given options.
void refuse_unused(PlanBy by, const std::function<bool(std::string_view)>& is_given);

/// Returns lines of columns, with headings.
std::string view_text(const PlanTree& tree, const PlanView& view);
/// Returns one row for each line of source, with headings. After an empty line and headings, returns one row for each
/// total: its name, its subject (a collective, a position), and the number.
std::string view_csv(const PlanTree& tree, const PlanSummary& summary);

}  // namespace mtf::tool
