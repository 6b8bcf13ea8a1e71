#pragma once
// A cut that has been made, by which Execution::repeat makes one like it: the same program on other values, without its
// nodes being added, captured and looked up again.
#include <cstdint>
#include <memory>
#include <vector>

#include "graph/program.h"
#include "plan/compiler.h"
#include "plan/plan.h"

namespace mtf::plan {

struct MadeCut {
  graph::Capture capture;
  std::vector<bool> may_die;  ///< of each input: nobody but the cut's own nodes would have read it later
  graph::Values roots;        ///< what it computed
  int64_t first_node = 0;     ///< the smallest number of a node of it
  /// It has left nothing but its roots: nothing is kept for gradients, no copies.
  bool is_closed = false;
  ProgramForm form;
  std::shared_ptr<const Plan> plan;
};

}  // namespace mtf::plan
