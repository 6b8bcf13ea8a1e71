#pragma once
// Decides the layout of a result: once, in forward direction, when an expression is evaluated.
//
// No layout is propagated to a fixed point. So the layout of a line is known as soon as the line has been evaluated.
// The prompt and the error messages need this. The price is that a later line cannot improve the layout of an earlier
// one.
//
// Each dim takes its split from the first of these sources that has one:
// - `@` on the value, or a split inherited from an operand that carries `@` or inherits itself
// - the rules of the current layout
// - a split of any other operand, including stored parameters
//
// A claim on an axis that the value already uses is dropped. If two operands disagree, the one with more elements
// wins, then the first one. Replication is not inherited.
//
// Exception: two rules may give one axis to two dims of a result. If an operand has both dims, the result copies that
// operand's layout (the largest operand's, if several have both). So the arithmetic of an optimizer has the layout of
// its param.
#include <memory>
#include <span>
#include <vector>

#include "graph/operation.h"
#include "types/layout.h"

namespace mtf::graph {

/// The layout of an operand: its sharding, its mesh, and the splits that results inherit.
struct OperandLayout {
  const Sharding* sharding = nullptr;
  AxisSet inherited = 0;
  const Mesh* mesh = nullptr;
};

/// Sets operation.shardings and operation.inherited by the operation's rules (why.rules). If two rules claim one axis,
/// for dims that no operand has both, the larger dim keeps the axis. In an operation that the program wrote, this is
/// an error instead (axis_used_twice), and so is a rule for an axis that the mesh lacks.
void decide_layouts(LaidOutOperation& operation, std::span<const OperandLayout> operands);

/// Returns the sharding that a layout alone gives a tensor. Errors as above, at `span`.
Sharding sharding_of(const TensorType& type, const Layout& layout, const Mesh& mesh, Span span, bool written = true);

/// A layout of a value, and its splits that results inherit.
struct ResultLayout {
  Sharding sharding;
  AxisSet inherited = 0;
};

/// Returns the layout of a tensor on `mesh` after a request (null: none) for another one than `present`. Errors as
/// above, at `span`.
ResultLayout asked_layout(const TensorType& type, const AskedLayout* asked, const OperandLayout& present,
                          const Mesh& mesh, Span span);
/// Returns the request that a layout has for the results of calls of the instance at `path`. Without such a rule it
/// asks for nothing.
std::shared_ptr<const AskedLayout> asked_by_path(const Layout& layout, std::string path);

/// True if `@` gives the split of every dim of a value: `x @ {}`, `x @ dp`, but not `x @ {.., batch -> data}`.
bool is_written(const LaidOutOperation& operation);
/// True if the layout is a copy of such a written layout, as that of the value's gradient is.
bool follows_written(const LaidOutOperation& operation);

/// Returns the rule that decides by the variable's path how it is stored; null if there is none or the variable has no
/// path.
const PathRule* rule_by_path(const LayoutReason& why, const Layout& rules);

/// Returns the sharding in which a param or state is stored. Each dim takes its split from the first source that has
/// one: `@` on the declaration, the layout's rules for its path, the value that it is declared like, the layout's
/// rules. Errors as above, at `span`. The layout's rules cause no errors as long as the path is unknown, if there are
/// rules for paths. One of these may still decide.
Sharding stored_sharding(const TensorType& type, const LayoutReason& why, const Mesh& mesh, Span span);

/// Copies a layout: each dim has the split of the dim of the same name in `like`; other dims are replicated.
ResultLayout layout_like(const Dims& dims, const LaidOutOperation& like, int like_result);

}  // namespace mtf::graph
