#pragma once
// Finds targets that the loss does not depend on. Their gradient is 0, which is probably a mistake.
//
// A gradient that would need released history is an error instead, never a 0 (graph/history_end.h). The check warns of
// a target, because it keeps all history. If a node may stand for several possible ones, the check cannot know, and the
// run warns.
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"

namespace mtf::ops {

struct Unreached {
  std::vector<size_t> targets;  ///< ascending
  /// The last node on a path from the loss towards a target: an assignment if there is one, else an operation without a
  /// gradient. Null if there is no path.
  graph::NodePtr end;
};

/// The targets that the loss does not depend on (`reached` is false), without an intention in the program. The
/// intention is stated by `stop_gradient` or `no_grad`. If the loss contains gradients, a derivative may be constant,
/// so that only an assignment is reported. Returns nothing if there are no such targets, or if a check cannot know:
/// `several` holds the numbers of nodes that stand for several possible ones.
std::optional<Unreached> unreached(const graph::Value& loss, const graph::Values& targets,
                                   const std::vector<bool>& reached, const std::unordered_set<int64_t>& several);

}  // namespace mtf::ops
