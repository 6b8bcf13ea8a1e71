#pragma once
// What one thing costs under several layouts, side by side.
#include <optional>
#include <string>
#include <vector>

#include "cost/layout_costs.h"

namespace mtf::tool {

struct Compared {
  MeshPtr mesh;        ///< null: the script's own
  std::string layout;  ///< as it is shown
  ScriptCost cost;
  std::optional<int64_t> peak_bytes;  ///< where it was asked for
};

/// A column for each: mesh, layout, flops, collectives by kind and axes, bytes, memory, and with a machine the time.
std::string compare_text(const std::vector<Compared>& columns, bool timed);

/// Seconds in a unit that suits them: `1.23 ms`.
std::string seconds_text(double seconds);

/// Lines of a plan's totals: how long it takes by a machine model.
std::string time_text(const StepTime& time, const std::string& machine);

}  // namespace mtf::tool
