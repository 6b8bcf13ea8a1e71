#pragma once
// Targets that no gradient comes to: theirs are 0, which whoever asks for them hardly means.
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"

namespace mtf::ops {

struct Unreached {
  std::vector<size_t> targets;  ///< ascending
  /// Where the last way down to one of them ends, at an assignment if there is one: or at an operation that has no
  /// gradient. Null if there is no way at all.
  graph::NodePtr end;
};

/// Those of `targets` that no gradient of `loss` comes to (`reached` is false) though nobody said that none should.
/// Said it is by `stop_gradient` and `no_grad`; and where the loss is made of gradients a derivative may be constant,
/// so that only an assignment is a reason. Nothing if there are none, or if a check does not know: `several` are the
/// numbers of nodes in whose place another may stand.
std::optional<Unreached> unreached(const graph::Value& loss, const graph::Values& targets,
                                   const std::vector<bool>& reached, const std::unordered_set<int64_t>& several);

}  // namespace mtf::ops
