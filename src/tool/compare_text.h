#pragma once
// What one thing costs under several layouts, side by side.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/layout_costs.h"
#include "tool/plan_text.h"

namespace mtf::tool {

struct Compared {
  MeshPtr mesh;        ///< null: the script's own
  std::string layout;  ///< as it is shown
  ScriptCost cost;
  std::optional<int64_t> peak_bytes;  ///< where it was asked for
};

/// A column for each: mesh, layout, flops, collectives by kind and axes, bytes, memory, and with a machine the time. Columns that
/// do not fit into `width` (0: all do) stand below, with the names of the figures again; of one that is too wide alone the ends of
/// its cells are cut off.
std::string compare_text(const std::vector<Compared>& columns, bool timed, std::size_t width);

/// A time with its parts: `computing`, each kind of collective over its axes, what of them goes on beside computing; `in all`.
std::vector<std::pair<std::string, double>> seconds_of(const StepTime& time);

}  // namespace mtf::tool
