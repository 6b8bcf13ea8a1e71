#pragma once
// The report of a plan as one HTML page that needs nothing else: totals, the tree of costs, the source beside what each
// of its lines costs, what other layouts would take, pictures of tensors.
#include <string>
#include <string_view>
#include <vector>

#include "tool/present/compare_text.h"
#include "tool/present/picture.h"
#include "tool/present/plan_tree.h"

namespace mtf::tool {

struct ReportParts {
  std::string title;   ///< the script's name
  std::string source;  ///< its text
  std::string totals;  ///< as `mtf plan` prints them
  const PlanTree* tree = nullptr;
  std::vector<Picture> pictures;
  std::vector<CostColumn> layouts;  ///< with their times, to be drawn as bars
  std::string machine;              ///< the name of the model whose times they are
};

std::string html_report(const ReportParts& parts);

/// Whether a text is one.
bool is_report(std::string_view text);

}  // namespace mtf::tool
