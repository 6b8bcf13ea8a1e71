#pragma once
// What one thing costs under several layouts, side by side.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/what_if.h"
#include "tool/present/plan_text.h"

namespace mtf::tool {

struct CostColumn {
  std::string mesh;    ///< as who asked calls it
  std::string layout;  ///< likewise
  cost::ScriptCost cost;
  std::optional<int64_t> peak_bytes = std::nullopt;  ///< where it was asked for
};

/// Meshes and layouts to compare, as they were given: each mesh with each layout; where none is given, what is there,
/// which is called `as_is`.
struct ComparedLayouts {
  std::vector<session::Assumption> assumptions;
  std::vector<CostColumn> columns;  ///< what they are called
};
ComparedLayouts compared_layouts(const std::vector<std::vector<Axis>>& meshes,
                                 const std::vector<std::pair<std::string, Layout>>& layouts, const std::string& as_is);
/// The columns, with why they are an estimate below.
std::string comparison_text(ComparedLayouts layouts, const session::Comparison& comparison, bool timed,
                            std::size_t width);

/// A column for each: mesh, layout, flops, collectives by kind and axes, bytes, memory, and with a machine the time.
/// Columns that do not fit into `width` (0: all do) stand below, with the names of the figures again; of one that is
/// too wide alone the ends of its cells are cut off.
std::string compare_text(const std::vector<CostColumn>& columns, bool timed, std::size_t width);

/// A time with its parts: `computing`, each kind of collective over its axes, what of them goes on beside computing;
/// `in all`.
std::vector<std::pair<std::string, double>> seconds_of(const cost::StepTime& time);

}  // namespace mtf::tool
