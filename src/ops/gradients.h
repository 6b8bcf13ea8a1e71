#pragma once
// Reverse-mode differentiation of the global graph.
#include <vector>

#include "graph/gradient_call.h"
#include "ops/builder.h"

namespace mtf::ops {

// A gradient has the layout of its target. So the arithmetic of an optimizer needs no communication.

/// Gradients of the scalar `loss` with respect to `targets`, as graph; each is laid out as its target. A way is walked
/// only while a target lies below. `reached`, if it is there, becomes for each target whether a way comes to it;
/// without one its gradient is 0. Fails (no_gradient, grad_through_assigned) at `builder.span`.
graph::Values gradients(Builder& builder, const graph::Value& loss, const graph::Values& targets,
                        std::vector<bool>* reached = nullptr);

/// What flows to `targets`, cast to their element types, where `d_results` flow to `results`, which are floats.
graph::Values gradients_of(Builder& builder, const graph::Values& results, const graph::Values& d_results,
                           const graph::Values& targets);

/// A gradient rule of an operation that has an expansion: the gradient of the graph that stands for it. For what is
/// seldom differentiated, as it computes that graph.
graph::Values gradient_of_expansion(graph::GradientCall& call);

/// Which operands and results an operation's gradient rule reads: what the graph that it writes reads. `wanted`: the
/// operands whose gradients are asked for.
graph::GradientReads reads_of_gradient(const graph::LaidOutOperation& operation, const std::vector<bool>& wanted);

}  // namespace mtf::ops
