#pragma once
// A performed cut, which Execution::repeat can perform again: the same program on other values. Repeating adds no
// nodes, and captures and looks up no program.
#include <cstdint>
#include <memory>
#include <vector>

#include "graph/program.h"
#include "plan/compiler.h"
#include "plan/plan.h"

namespace mtf::plan {

struct MadeCut {
  graph::Capture capture;
  std::vector<bool> may_die;  ///< for each input: only the cut's own nodes could have read it later
  graph::Values roots;        ///< the values that the cut computed
  int64_t first_node = 0;     ///< the smallest node number of the cut
  /// True if the cut left nothing but its roots: no history for gradients and no copies.
  bool is_closed = false;
  ProgramForm form;
  std::shared_ptr<const Plan> plan;
};

}  // namespace mtf::plan
