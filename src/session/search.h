#pragma once
// The search for a mesh and a layout, of a script or of a statement of a session.
#include <functional>
#include <optional>
#include <string>

#include "cost/search.h"
#include "session/what_if.h"

namespace mtf::session {

struct SearchRequest {
  cost::SearchQuestion
      question;  ///< but for the names of axes, the peak and the short forms, which follow from what is searched
  cost::MachineModel machine;
  int axes = 2;                          ///< the most that a mesh may have
  std::function<void()> poll = nullptr;  ///< called every few hundredths of a second; what it throws ends the search
};

struct SearchAnswer {
  cost::SearchQuestion question;
  cost::SearchResult result;
  cost::LayoutCosts costs;  ///< of what was searched
  std::string layers;  ///< the option that says how many layers there are, if candidates were ranked by a few of them
  std::optional<cost::Candidate> fewer;  ///< the best of fewer processors, where as many repeat one another's work
};

/// Plans what is searched, and searches; where a number among its options is how many layers there are, with short
/// forms of it. Throws UserError.
SearchAnswer search_layouts(const WhatIf& what, SearchRequest request);

/// How often all processors together do the work that one alone would do once.
double repeated_work(const plan::Counters& counters);

}  // namespace mtf::session
