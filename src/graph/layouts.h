#pragma once
// How the layout of a result is decided: forward, once, where an expression is evaluated.
//
// Each dim takes its split from the first that speaks: `@` on the value, or a split inherited from an operand that
// carries `@` or itself inherits; the current layout's rules; a split of any other operand, stored parameters included.
// A claim on an axis that the value already uses is dropped. Where two operands disagree the one with more elements
// wins, then the first. Being whole is not inherited.
#include "graph/graph.h"
#include "types/layout.h"

namespace mtf {

/// Fills node.shardings and node.inherited. `written`: the program wrote the expression, so that two rules of the
/// layout on one axis are an error (axis_used_twice), and so is a rule on an axis that the mesh lacks; otherwise the
/// larger dim keeps the axis.
void decide_layouts(Node& node, const Layout& layout, bool written);

/// The sharding that a layout alone gives a tensor. Errors as above, at `span`.
Sharding sharding_of(const TensorType& type, const Layout& layout, const Mesh& mesh, Span span, bool written = true);

}  // namespace mtf
