#pragma once
// Where histories end: at operations that read a variable which has been assigned since.
//
// No gradient goes through such an operation. It is an error if a target lies below it, and nothing if none does. When
// the operations below are given up, those values below that something holds, and so may be targets, are noted; thus
// the answer does not depend on what has been computed, nor on when.
//
//        x ──► h = x·w ──► loss          w := …       grad(loss, [x]): an error;  grad(loss, [y]): goes its other ways
//        y ────────────────┘
#include <vector>

#include "graph/graph.h"

namespace mtf::graph {

/// A gradient could go through it: the operation passes gradients on, and to numbers that have them.
bool passes_gradients(const LaidOutOperation& operation);

/// It has read the value of a variable that has been assigned since.
bool reads_assigned(const Node& node);

/// `nodes` (in program order, with their operands) are about to give their operands up: sets Node::ended of those above
/// a value that was read from an assigned variable. Takes time linear in the history below those that live on, for each
/// 64 values that are held there.
void note_ends(const std::vector<NodePtr>& nodes);

/// The same of nodes that no gradient was expected to come through: whoever asks for one after all is told so, as what
/// was not kept must not be taken for what there is not.
void note_dropped(const std::vector<NodePtr>& nodes);

/// Fails (no_gradient) at `span` if a gradient would have to come through what was dropped: `leads` says which targets
/// a walk from the loss has come to, `reached` what it saw.
void refuse_dropped(const std::vector<NodePtr>& reached, const Values& targets, const std::vector<bool>& leads,
                    Span span);

/// The last of the ends that a walk from a loss comes to: `reached` are the nodes that it saw. Nothing if there is
/// none.
std::shared_ptr<const HistoryEnd> last_end(const std::vector<NodePtr>& reached);

/// Whether a target lies below an end that a walk from a loss has come to. A variable does if its old value was read
/// there, unless `comes_to_it`: then the gradient is that of its value now.
bool lies_below_an_end(const std::vector<NodePtr>& reached, const Values& targets,
                       const std::vector<bool>& comes_to_it);

}  // namespace mtf::graph
