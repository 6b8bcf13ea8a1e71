#pragma once
// The report of a plan as one self-contained HTML page: totals, the tree of costs, the source with the cost of each
// line, the times of other layouts, and pictures of tensors.
#include <string>
#include <string_view>
#include <vector>

#include "tool/present/compare_text.h"
#include "tool/present/picture.h"
#include "tool/present/plan_text.h"

namespace mtf::tool {

struct ReportParts {
  std::string title;   ///< the script's name
  std::string source;  ///< its text
  std::string totals;  ///< as `mtf plan` prints them
  const PlanTree* tree = nullptr;
  std::vector<Picture> pictures;
  std::vector<CostColumn> layouts;  ///< with their times, drawn as bars
  std::string machine;              ///< the name of the model that gives the times
};

std::string html_report(const ReportParts& parts);

/// True if a text is a report.
bool is_report(std::string_view text);

}  // namespace mtf::tool
