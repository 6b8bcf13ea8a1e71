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

/// The gradients of `targets`, cast to their element types, if `d_results` are the gradients of `results` (floats).
graph::Values gradients_of(Builder& builder, const graph::Values& results, const graph::Values& d_results,
                           const graph::Values& targets);

/// A gradient rule for an operation that has an expansion: the gradient of the expansion. It computes the whole
/// expansion, so it suits operations that are seldom differentiated.
graph::Values gradient_of_expansion(graph::GradientCall& call);

/// The operands and results that an operation's gradient rule reads, found by building the gradient's graph. `wanted`
/// marks the operands whose gradients are asked for.
graph::GradientReads reads_of_gradient(const graph::LaidOutOperation& operation, const std::vector<bool>& wanted);

}  // namespace mtf::ops
