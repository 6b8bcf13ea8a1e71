#include "graph/layouts.h"

#include <algorithm>
#include <array>

#include "graph/op.h"
#include "graph/region.h"
#include "graph/relayout.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::graph {
namespace {

/// Returns the axes of a rule on a mesh. An axis that the mesh lacks is an error, or is dropped if the program did not
/// write the tensor.
AxisList resolve(const LayoutRule& rule, const TensorType& type, const Mesh& mesh, Span span, bool written) {
  AxisList axes;
  for (Name axis : rule.axes) {
    int index = mesh.find(axis);
    if (index >= 0) {
      if (!axes.has(index)) axes.push_back(index);
      continue;
    }
    if (!written) continue;
    std::vector<std::string> names;
    for (const Axis& a : mesh.axes()) names.push_back(a.name.str());
    std::string help = did_you_mean(axis.text(), names);
    fail(Diagnostic(Kind::mesh_lacks_axis, span,
                    fmt::format("{}: {} -> {}, but the mesh is {}", to_string(type), rule.dim.text(), axis.text(),
                                to_string(mesh)))
             .related(rule.span, fmt::format("no axis `{}`", axis.text()))
             .help(help.empty() ? "name one of the mesh's axes: " + join(names, ", ") : help));
  }
  return axes;
}

[[noreturn]] void fail_twice(const LayoutRule& first, const LayoutRule& second, const TensorType& type, Name axis,
                             Span span) {
  Diagnostic diagnostic(Kind::axis_used_twice, span, to_string(type));
  diagnostic.related(first.span, first.span.is_known() ? ""
                                                       : fmt::format("the layout that was given maps `{}` to {}",
                                                                     first.dim.text(), axis.text()));
  diagnostic.related(second.span, second.span.is_known()
                                      ? fmt::format("both map to {}", axis.text())
                                      : fmt::format("and `{}` to {} as well", second.dim.text(), axis.text()));
  fail(diagnostic.help("map one of them to another axis, or leave one out to replicate it")
           .help(fmt::format("a rule by path splits only the results of some calls: values \"PATH\": {{{} -> {}}}",
                             first.dim.text(), axis.text())));
}

/// True if an axis that both dims claim goes to `dim`. The larger dim gets the axis. A rule for two dims of one name,
/// `of_both`, prefers the dim that it names exactly.
bool goes_before(const Dim& dim, const Dim& other, const LayoutRule* of_both) {
  if (of_both && other.name == of_both->dim) return false;
  if (of_both && dim.name == of_both->dim) return true;
  return dim.size > other.size;
}

/// Splits the dims that are `open` as the layout's rules claim.
void apply_rules(Sharding& sharding, std::vector<bool>& open, const TensorType& type, const Layout& layout,
                 const Mesh& mesh, Span span, bool written) {
  AxisSet used = sharding.split();
  const AxisSet before = used;
  std::vector<const LayoutRule*> owner(kMaxAxes, nullptr);
  std::vector<int> owning_dim(kMaxAxes, -1);
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (!open[i]) continue;
    const LayoutRule* rule = layout.find(type.dims[i].name);
    if (!rule) continue;
    open[i] = false;
    for (int axis : resolve(*rule, type, mesh, span, written)) {
      if (before & axis_bit(axis)) continue;
      if (used & axis_bit(axis)) {
        const LayoutRule* other = owner[axis];
        if (written && other != rule) fail_twice(*other, *rule, type, mesh.axes()[axis].name, span);
        int loser = owning_dim[axis];
        if (!goes_before(type.dims[i], type.dims[loser], other == rule ? rule : nullptr)) continue;
        sharding.dims[loser] = sharding.dims[loser].without(axis_bit(axis));
      }
      sharding.dims[i].push_back(axis);
      used |= axis_bit(axis);
      owner[axis] = rule;
      owning_dim[axis] = static_cast<int>(i);
    }
  }
}

/// Splits the open dims by a rule by path, over unused axes.
void apply_path_rule(Sharding& lies, std::vector<bool>& open, const std::vector<LayoutRule>& rules,
                     const TensorType& type, const Mesh& mesh, Span span) {
  AxisSet used = lies.split();
  for (const LayoutRule& rule : rules) {
    for (size_t at = 0; at < open.size(); ++at) {
      if (!open[at] || type.dims[at].name.plain() != rule.dim) continue;
      for (int axis : resolve(rule, type, mesh, span, true)) {
        if (used & axis_bit(axis)) continue;
        used |= axis_bit(axis);
        lies.dims[at].push_back(axis);
        open[at] = false;
      }
    }
  }
}

/// Splits the open dims as in `present`, over unused axes.
void keep_open(Sharding& lies, const std::vector<bool>& open, const Sharding& present) {
  const AxisSet used = lies.split();
  for (size_t d = 0; d < open.size(); ++d)
    if (open[d]) lies.dims[d] = present.dims[d].without(used);
}

/// Returns the operands' claim for dim `i` of result `r`: the axis list of the largest operand that has one. With
/// `inherited`, counts only splits that come from `@`.
AxisList claim_of_operands(const LaidOutOperation& operation, std::span<const OperandLayout> operands,
                           const IterationSpace& space, size_t r, int i, bool inherited) {
  AxisList best;
  int64_t most = -1;
  for (const IterationDim& dim : space.dims) {
    if (dim.results[r] != i) continue;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (dim.operands[k] < 0) continue;
      const Dims& dims = operation.operands[k].dims;
      if (operands[k].mesh != operation.mesh.get() && !(*operands[k].mesh == *operation.mesh)) continue;
      // Names decide layouts, so a renamed dim keeps no split.
      if (dim.kind == SplitKind::kFree && dims[dim.operands[k]].name != operation.results[r].dims[i].name) continue;
      const AxisSet silent = inherited ? ~operands[k].inherited : 0;
      const AxisList claim = operands[k].sharding->dims[dim.operands[k]].without(silent);
      if (claim.empty() || size_of(dims) <= most) continue;
      best = claim;
      most = size_of(dims);
    }
  }
  return best;
}

/// Two dims of a tensor; -1: none.
struct TwoDims {
  int first = -1;
  int second = -1;
};

/// Returns two open dims for which the layout's rules claim the same unused axis.
TwoDims clash_of_rules(const Sharding& sharding, const std::vector<bool>& open, const TensorType& type,
                       const Layout& layout, const Mesh& mesh) {
  if (layout.rules.empty()) return {};
  const AxisSet used = sharding.split();
  std::array<int, kMaxAxes> owning_dim;
  owning_dim.fill(-1);
  for (size_t i = 0; i < type.dims.size(); ++i) {
    const LayoutRule* rule = open[i] ? layout.find(type.dims[i].name) : nullptr;
    if (!rule) continue;
    for (const Name axis : rule->axes) {
      const int index = mesh.find(axis);
      if (index < 0 || (used & axis_bit(index))) continue;
      int& owner = owning_dim[static_cast<size_t>(index)];
      if (owner >= 0 && owner != static_cast<int>(i)) return {owner, static_cast<int>(i)};
      owner = static_cast<int>(i);
    }
  }
  return {};
}

/// Returns the operand with the most elements that has these two dims of the result, by name; -1: none.
int operand_with(const LaidOutOperation& operation, std::span<const OperandLayout> operands, const TensorType& type,
                 const TwoDims& both) {
  int best = -1;
  int64_t most = -1;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Dims& dims = operation.operands[k].dims;
    if (find_dim(dims, type.dims[static_cast<size_t>(both.first)].name) < 0 ||
        find_dim(dims, type.dims[static_cast<size_t>(both.second)].name) < 0)
      continue;
    if (operands[k].mesh != operation.mesh.get() && !(*operands[k].mesh == *operation.mesh)) continue;
    if (size_of(dims) <= most) continue;
    best = static_cast<int>(k);
    most = size_of(dims);
  }
  return best;
}

}  // namespace

Sharding sharding_of(const TensorType& type, const Layout& layout, const Mesh& mesh, Span span, bool written) {
  Sharding sharding = replicated(type.dims.size());
  std::vector<bool> open(type.dims.size(), true);
  apply_rules(sharding, open, type, layout, mesh, span, written);
  return sharding;
}

ResultLayout asked_layout(const TensorType& type, const AskedLayout* asked, const OperandLayout& present,
                          const Mesh& mesh, Span span) {
  const bool is_moved = !(*present.mesh == mesh);
  ResultLayout lies{replicated(type.dims.size())};
  if (!asked) {
    if (!is_moved) lies.sharding = *present.sharding;
    lies.inherited = lies.sharding.split();
    return lies;
  }
  std::vector<bool> open(type.dims.size(), true);
  const bool is_by_path = !asked->path.empty();
  if (is_by_path) apply_path_rule(lies.sharding, open, asked->rules.rules, type, mesh, span);
  else apply_rules(lies.sharding, open, type, asked->rules, mesh, span, true);
  const AxisSet claimed = lies.sharding.split();
  if (asked->keeps_others && !is_moved) keep_open(lies.sharding, open, *present.sharding);
  lies.inherited = lies.sharding.split();
  if (is_by_path) lies.inherited &= present.inherited & ~claimed;
  return lies;
}

std::shared_ptr<const AskedLayout> asked_by_path(const Layout& layout, std::string path) {
  AskedLayout asked;
  asked.keeps_others = true;
  asked.path = std::move(path);
  if (const PathRule* const rule = layout.find(ByPath::kValues, asked.path)) {
    asked.rules.rules = rule->rules;
    asked.rules.span = rule->span;
  }
  return std::make_shared<const AskedLayout>(std::move(asked));
}

bool is_written(const LaidOutOperation& operation) {
  const LayoutReason& why = operation.why;
  return why.asked && !why.asked->keeps_others && !why.like && !why.rules;
}

bool follows_written(const LaidOutOperation& operation) {
  return operation.origin == LayoutOrigin::kLike && operation.why.like && is_written(*operation.why.like);
}

static bool has_path(const LayoutReason& why) { return why.variable && !why.variable->path.empty(); }

const PathRule* rule_by_path(const LayoutReason& why, const Layout& rules) {
  if (!has_path(why)) return nullptr;
  return rules.find(why.variable->trainable ? ByPath::kParams : ByPath::kStates, why.variable->path);
}

Sharding stored_sharding(const TensorType& type, const LayoutReason& why, const Mesh& mesh, Span span) {
  Sharding lies = replicated(type.dims.size());
  std::vector<bool> open(type.dims.size(), true);
  if (why.asked) {
    apply_rules(lies, open, type, why.asked->rules, mesh, span, true);
    if (!why.asked->keeps_others) return lies;
  }
  if (const PathRule* rule = why.rules ? rule_by_path(why, *why.rules) : nullptr)
    apply_path_rule(lies, open, rule->rules, type, mesh, span);
  if (!why.like) {
    if (why.rules) apply_rules(lies, open, type, *why.rules, mesh, span, has_path(why) || !why.rules->stores_by_path());
    return lies;
  }
  Sharding like = layout_like(type.dims, *why.like, why.like_result).sharding;
  if (!(*why.like->mesh == mesh)) like = on_mesh(like, *why.like->mesh, mesh);
  keep_open(lies, open, like);
  return lies;
}

ResultLayout layout_like(const Dims& dims, const LaidOutOperation& like, int like_result) {
  ResultLayout followed{replicated(dims.size())};
  const Sharding& sharding = like.shardings[like_result];
  for (size_t d = 0; d < dims.size(); ++d)
    if (const int at = find_dim(like.results[like_result].dims, dims[d].name); at >= 0)
      followed.sharding.dims[d] = sharding.dims[at];
  followed.inherited = like.inherited[like_result] & followed.sharding.split();
  return followed;
}

void decide_layouts(LaidOutOperation& operation, std::span<const OperandLayout> operands) {
  if (operation.region) return lay_out_region(operation, operands);
  static const Layout none;
  const Layout& layout = operation.why.rules ? *operation.why.rules : none;
  operation.shardings.resize(operation.results.size());
  operation.inherited.assign(operation.results.size(), 0);
  bool any_split = false;
  bool any_inherited = false;
  for (const OperandLayout& operand : operands) {
    any_split = any_split || operand.sharding->split() != 0;
    any_inherited = any_inherited || operand.inherited != 0;
  }
  const bool ask_operands = any_split && operation.op->space;
  IterationSpace space = ask_operands ? operation.op->space(operation) : IterationSpace{};
  for (size_t r = 0; r < operation.results.size(); ++r) {
    const TensorType& type = operation.results[r];
    Sharding& sharding = operation.shardings[r];
    sharding = replicated(type.dims.size());
    if (layout.rules.empty() && !ask_operands) continue;
    std::vector<bool> open(type.dims.size(), true);
    auto take = [&](int i, const AxisList& claim) {
      if (claim.empty()) return;
      open[i] = false;
      AxisSet used = sharding.split();
      for (int axis : claim)
        if (!(used & axis_bit(axis))) sharding.dims[i].push_back(axis);
    };
    const int dims = static_cast<int>(type.dims.size());
    if (any_inherited)
      for (int i = 0; i < dims; ++i) take(i, claim_of_operands(operation, operands, space, r, i, true));
    operation.inherited[r] = sharding.split();
    for (TwoDims both; (both = clash_of_rules(sharding, open, type, layout, *operation.mesh)).first >= 0;) {
      const int k = operand_with(operation, operands, type, both);
      if (k < 0) break;
      for (int i = 0; i < dims; ++i) {
        const int at = find_dim(operation.operands[k].dims, type.dims[i].name);
        if (at < 0 || !open[i]) continue;
        take(i, operands[k].sharding->dims[at]);
        open[i] = false;
      }
    }
    apply_rules(sharding, open, type, layout, *operation.mesh, operation.span,
                operation.written && (!operation.initial || !layout.stores_by_path()));
    if (ask_operands)
      for (int i = 0; i < dims; ++i)
        if (open[i]) take(i, claim_of_operands(operation, operands, space, r, i, false));
  }
}

}  // namespace mtf::graph
