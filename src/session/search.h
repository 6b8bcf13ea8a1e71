#pragma once
// The search for a mesh and a layout, for a script or for a statement of a session.
#include <optional>
#include <string>

#include "cost/search.h"
#include "session/what_if.h"

namespace mtf::session {

struct SearchRequest {
  cost::SearchQuestion
      question;  ///< without the names of axes, the peak and the short forms, which the search itself fills in
  cost::MachineModel machine;
  int axes = 2;  ///< the most axes of a mesh
};

struct SearchAnswer {
  cost::SearchQuestion question;
  cost::SearchResult result;
  cost::LayoutCosts costs;  ///< of the searched program
  std::string layers;       ///< the option that counts layers, if programs with few layers ranked the candidates
  std::optional<cost::Candidate> fewer;  ///< the best on fewer processors, if processors repeat each other's work
};

/// Plans a program, then searches. If an option of the program counts layers, also uses short forms of the program with
/// few layers. Throws UserError.
SearchAnswer search_layouts(const WhatIf& what, SearchRequest request);

/// Returns how often all processors together do the work that one processor would do once.
double repeated_work(const plan::Counters& counters);

}  // namespace mtf::session
