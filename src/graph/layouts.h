#pragma once
// How the layout of a result is decided: forward, once, where an expression is evaluated.
//
// Each dim takes its split from the first that speaks: `@` on the value, or a split inherited from an operand that
// carries `@` or itself inherits; the current layout's rules; a split of any other operand, stored parameters included.
// A claim on an axis that the value already uses is dropped. Where two operands disagree the one with more elements
// wins, then the first. Being whole is not inherited.
//
// Rules that claim one axis for two dims do not speak of a value computed from one that has both dims: it lies as that
// one does, the largest if there are several, whoever said how. So the arithmetic of an optimizer lies as its param
// is stored.
#include <memory>
#include <span>
#include <vector>

#include "graph/operation.h"
#include "types/layout.h"

namespace mtf::graph {

/// What the layout of an operand says: its dims, where they lie, and which splits it hands on.
struct OperandLayout {
  const Sharding* sharding = nullptr;
  AxisSet inherited = 0;
  const Mesh* mesh = nullptr;
};

/// Fills operation.shardings and operation.inherited by its rules (why.rules). If the program wrote the operation, two
/// rules of the layout on one axis, for dims that no operand has both, are an error (axis_used_twice), and so is a rule
/// on an axis that the mesh lacks; otherwise the larger dim keeps the axis.
void decide_layouts(LaidOutOperation& operation, std::span<const OperandLayout> operands);

/// The sharding that a layout alone gives a tensor. Errors as above, at `span`.
Sharding sharding_of(const TensorType& type, const Layout& layout, const Mesh& mesh, Span span, bool written = true);

/// How a tensor that lies as `present` says is split where `@` asks for another layout. Errors as above, at `span`.
Sharding asked_sharding(const TensorType& type, const AskedLayout& asked, const Sharding& present, const Mesh& mesh,
                        Span span);

/// True of a value of which `@` says, of every dim, where it lies: `x @ {}`, `x @ dp`, but not `x @ {.., batch ->
/// data}`.
bool is_written(const LaidOutOperation& operation);
/// True of what is laid out as such a value: of its gradient.
bool follows_written(const LaidOutOperation& operation);

/// The rule of a layout that says by its path how the variable is stored; null: none does, or it has no path.
const StoredRule* rule_by_path(const LayoutReason& why, const Layout& rules);

/// How a param or state of this type is stored: each dim as the first says that speaks of it: `@` on its declaration,
/// the layout's rules for its path, what it is declared like, the layout's rules. Errors as above, at `span`; of the
/// layout's rules none as long as its path is not known and there are rules for paths: one of them may yet decide.
Sharding stored_sharding(const TensorType& type, const LayoutReason& why, const Mesh& mesh, Span span);

/// A layout that follows another's: each dim that `like` has, by name, is split as there, the others are whole.
struct FollowedLayout {
  Sharding sharding;
  AxisSet inherited = 0;
};
FollowedLayout layout_like(const Dims& dims, const LaidOutOperation& like, int like_result);

}  // namespace mtf::graph
