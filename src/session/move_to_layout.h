#pragma once
// Resharding of a session's values to the layout in force.
#include <string>
#include <utility>
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {
class Evaluator;
}

namespace mtf::session {

/// Reshards all tensors, params and states that the names of the outermost scope lead to, as the current mesh and
/// layout say. Params and states keep their layout if their declaration gives one. Adds the resharding operations to
/// the graph. Returns the resharded values with their names. Fails if the layout does not fit a value.
std::vector<std::pair<std::string, eval::HostValue>> move_to_layout(eval::Evaluator& evaluator, Span span);

}  // namespace mtf::session
