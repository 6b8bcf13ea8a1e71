#pragma once
// The cost of one program under several layouts, side by side.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/what_if.h"
#include "tool/present/plan_text.h"

namespace mtf::tool {

struct CostColumn {
  std::string mesh;    ///< with the name that the user gave
  std::string layout;  ///< likewise
  cost::ScriptCost cost;
  std::optional<int64_t> peak_bytes = std::nullopt;  ///< set if it was asked for
};

/// The given meshes and layouts to compare: each mesh with each layout. If no mesh or no layout is given, the current
/// one is used, with the name `as_is`.
struct ComparedLayouts {
  std::vector<session::Assumption> assumptions;
  std::vector<CostColumn> columns;  ///< with their names
};
ComparedLayouts compared_layouts(const std::vector<std::vector<Axis>>& meshes,
                                 const std::vector<std::pair<std::string, Layout>>& layouts, const std::string& as_is);
/// Returns the columns, and below them the reasons why they are estimates.
std::string comparison_text(ComparedLayouts layouts, const session::Comparison& comparison, bool timed,
                            std::size_t width);

/// Returns a column for each layout: mesh, layout, flops, collectives by kind and axes, bytes, memory, and with a
/// machine the time. Columns that do not fit into `width` (0: no limit) come below, with the row names again. If a
/// single column is too wide, the ends of its cells are cut off.
std::string compare_text(const std::vector<CostColumn>& columns, bool timed, std::size_t width);

}  // namespace mtf::tool
