#pragma once
// Ends of histories: operations that read a variable which has been assigned since.
//
// No gradient goes through such an operation. It is an error if a target is below the operation; otherwise the gradient
// simply uses its other paths. When the operations below release their operands, the held values below are recorded as
// possible targets. So the answer does not depend on when, or whether, values were computed.
//
//        x ──► h = x·w ──► loss          w := …       grad(loss, [x]): an error;  grad(loss, [y]): uses its other paths
//        y ────────────────┘
#include <vector>

#include "graph/graph.h"

namespace mtf::graph {

/// True if a gradient can go through the operation: it has a gradient rule and a float result, and is not in
/// `no_grad`.
bool passes_gradients(const LaidOutOperation& operation);

/// True if the node has read a variable that has been assigned since.
bool reads_assigned(const Node& node);

/// Sets Node::ended of each node above a value that was read from an assigned variable. `nodes`, in program order,
/// still have their operands but are about to release them. Takes linear time in the history below the surviving
/// nodes, for each 64 values that are held there.
void note_ends(const std::vector<NodePtr>& nodes);

/// Sets Node::ended of nodes that were released because no gradient was expected. A later request for a gradient then
/// fails instead of returning 0.
void note_dropped(const std::vector<NodePtr>& nodes);

/// Fails (no_gradient) at `span` if a gradient would go through dropped history. `reached` are the nodes that a walk
/// from the loss visited, and `leads` tells which targets the walk found.
void refuse_dropped(const std::vector<NodePtr>& reached, const Values& targets, const std::vector<bool>& leads,
                    Span span);

/// Returns the latest end among `reached`, the nodes that a walk from a loss visited; null if there is none.
std::shared_ptr<const HistoryEnd> last_end(const std::vector<NodePtr>& reached);

/// True if a target is below an end that a walk from a loss reached. A variable is below if its old value was read
/// there. It does not count if `comes_to_it` is set, because the gradient is then that of its present value.
bool lies_below_an_end(const std::vector<NodePtr>& reached, const Values& targets,
                       const std::vector<bool>& comes_to_it);

}  // namespace mtf::graph
