#pragma once
// Moving what a session holds to the layout in force.
#include <string>
#include <utility>
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {
class Evaluator;
}

namespace mtf::session {

/// Every param and state that the names of the outermost scope lead to and whose declaration does not say how it is
/// stored, and every tensor that such a name stands for, lie from here on as the mesh and layout in force say. Adds
/// what moves them to the graph, and returns that, each with its name. Fails where the layout does not fit a value.
std::vector<std::pair<std::string, eval::HostValue>> move_to_layout(eval::Evaluator& evaluator, Span span);

}  // namespace mtf::session
