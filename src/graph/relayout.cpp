#include "graph/relayout.h"

#include <unordered_set>

#include "graph/layouts.h"
#include "graph/region.h"
#include "support/diagnostics.h"
#include "types/key.h"

namespace mtf::graph {

OperationRef lies_computed(const LaidOutOperation& operation, int result, const Sharding& sharding) {
  auto moved = std::make_shared<LaidOutOperation>(operation);
  moved->shardings[result] = sharding;
  moved->origin = LayoutOrigin::kComputed;
  moved->why = {};
  if (is_written(operation)) moved->why.asked = operation.why.asked;
  return moved;
}

AxisSet on_mesh(AxisSet axes, const Mesh& from, const Mesh& to) {
  AxisSet there = 0;
  for (int axis = 0; axis < from.order(); ++axis)
    if (axes & axis_bit(axis))
      if (const int index = to.find(from.axes()[static_cast<size_t>(axis)].name); index >= 0) there |= axis_bit(index);
  return there;
}

Sharding on_mesh(const Sharding& sharding, const Mesh& from, const Mesh& to) {
  Sharding there = replicated(sharding.dims.size());
  for (size_t d = 0; d < sharding.dims.size(); ++d)
    for (const int axis : sharding.dims[d])
      if (const int index = to.find(from.axes()[static_cast<size_t>(axis)].name); index >= 0)
        there.dims[d].push_back(index);
  return there;
}

std::shared_ptr<LaidOutOperation> laid_out_again(const LaidOutOperation& was, std::span<const OperandLayout> operands,
                                                 OperationRef like, const MeshPtr& mesh, const LayoutPtr& rules) {
  auto operation = std::make_shared<LaidOutOperation>(was);
  LaidOutOperation& now = *operation;
  if (mesh) now.mesh = mesh;
  if (rules && now.why.rules) now.why.rules = rules;
  if (now.region) {
    lay_out_region(now, operands, mesh, rules);
    return operation;
  }
  if (like) now.why.like = std::move(like);
  if (now.origin == LayoutOrigin::kRules) {
    decide_layouts(now, operands);
  } else if (now.origin == LayoutOrigin::kLike) {
    ResultLayout followed = layout_like(now.results[0].dims, *now.why.like, now.why.like_result);
    now.shardings[0] = std::move(followed.sharding);
    now.inherited[0] = followed.inherited;
  } else if (is_as_it_lies(now)) {
    now.shardings[0] = on_mesh(was.shardings[0], *was.mesh, *now.mesh);
    now.inherited[0] = on_mesh(was.inherited[0], *was.mesh, *now.mesh);
  } else {
    const TensorType& type = now.results[0];
    const bool declared = now.why.like || now.why.rules;
    if (rules && now.why.asked && !now.why.asked->path.empty())
      now.why.asked = asked_by_path(*rules, now.why.asked->path);
    ResultLayout lies = declared ? ResultLayout{stored_sharding(type, now.why, *now.mesh, now.span)}
                                 : asked_layout(type, now.why.asked.get(), operands[0], *now.mesh, now.span);
    now.shardings[0] = std::move(lies.sharding);
    now.inherited[0] = lies.inherited;
  }
  return operation;
}

void paths_are_known(std::span<const NodePtr> nodes, LayoutRecord* record) {
  std::unordered_map<const LaidOutOperation*, OperationRef> now;  // operations in new layouts, by the old operation
  std::vector<OperationRef> before;                               // keeps the old addresses in use
  std::unordered_set<const Node*> changed;
  for (const NodePtr& node : nodes) {
    const LaidOutOperation& was = *node->operation;
    const auto like = now.find(was.why.like.get());
    bool is_affected = was.why.variable || like != now.end();
    std::vector<OperandLayout> layouts;
    for (const Value& operand : node->operands()) {
      is_affected = is_affected || changed.contains(operand.node.get());
      layouts.push_back({&operand.sharding(), operand.inherited(), operand.mesh().get()});
    }
    if (!is_affected) continue;
    before.push_back(node->operation);
    changed.insert(node.get());
    node->operation = now[&was] =
        laid_out_again(was, layouts, like != now.end() ? like->second : nullptr, nullptr, nullptr);
    if (record) record->add(*node);
  }
}

const OperationRef& Relayout::operation(int32_t decision) { return laid(decision).operation; }

const Relayout::Laid& Relayout::laid(int32_t decision) {
  while (laid_.size() <= static_cast<size_t>(decision)) laid_.push_back(&decide(record_.decisions()[laid_.size()]));
  return *laid_[decision];
}

int64_t Relayout::stored_rule(const LaidOutOperation& operation) const {
  if (!operation.why.rules) return -1;
  const Layout& rules = rules_ ? *rules_ : *operation.why.rules;
  const PathRule* const rule = rule_by_path(operation.why, rules);
  return rule ? rule - rules.by_path.data() : -1;
}

const Relayout::Laid& Relayout::decide(const LayoutRecord::Decision& decision) {
  if (decision.operation->origin == LayoutOrigin::kComputed) {
    const auto at = computed_.find({decision.program, decision.root});
    MTF_CHECK(at != computed_.end(), "root {} of program {} is read before it is computed", decision.root,
              decision.program);
    return moved_.emplace_back(with_places(at->second));
  }
  key_.clear();
  mtf::append(key_, decision.form);
  mtf::append(key_, stored_rule(*decision.operation));
  mtf::append(key_, decision.like.decision < 0 ? -1 : place(decision.like));
  for (const LayoutRecord::Source& operand : decision.operands) mtf::append(key_, place(operand));
  if (const auto at = known_.find(key_); at != known_.end()) return at->second;
  return known_.emplace(key_, with_places(lay_out(decision))).first->second;
}

Relayout::Laid Relayout::with_places(OperationRef operation) {
  Laid laid{std::move(operation), {}};
  for (size_t r = 0; r < laid.operation->results.size(); ++r) {
    std::string key;
    append(key, laid.operation->mesh.get());
    mtf::append(key, laid.operation->inherited[r]);
    append(key, laid.operation->results[r]);
    for (const AxisList& axes : laid.operation->shardings[r].dims) append(key, axes);
    laid.places.push_back(places_.try_emplace(std::move(key), static_cast<int32_t>(places_.size())).first->second);
  }
  return laid;
}

OperationRef Relayout::lay_out(const LayoutRecord::Decision& decision) {
  std::vector<OperandLayout> operands;
  for (const LayoutRecord::Source& operand : decision.operands) {
    const LaidOutOperation& lies = *laid_[operand.decision]->operation;
    operands.push_back({&lies.shardings[operand.result], lies.inherited[operand.result], lies.mesh.get()});
  }
  OperationRef like = decision.like.decision >= 0 ? laid_[decision.like.decision]->operation : nullptr;
  return laid_out_again(*decision.operation, operands, std::move(like), mesh_, rules_);
}

Program Relayout::program(const RecordedProgram& recorded) {
  Program program = recorded.program;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    program.inputs[i].operation = operation(recorded.inputs[i]);
    program.inputs[i].order.clear();
  }
  for (size_t i = 0; i < program.operations.size(); ++i) {
    OperationRef& each = program.operations[i].operation;
    const OperationRef& now = operation(recorded.operations[i]);
    if (each->inputs == now->inputs) {
      each = now;
      continue;
    }
    auto other =
        std::make_shared<LaidOutOperation>(*now);  // operations of equal layouts may read other numbers of the host
    other->inputs = each->inputs;
    each = std::move(other);
  }
  return program;
}

void Relayout::computed(int32_t number, const Program& program) {
  if (program.only_history.empty()) return;
  std::unordered_map<int32_t, OperationRef> now;  // operations, which may have several such results
  for (size_t i = 0; i < program.roots.size(); ++i) {
    const ProgramValue root = program.roots[i];
    if (!program.only_history[i] || root.is_input()) continue;
    const auto at = now.try_emplace(root.source, program.operations[root.source].operation).first;
    at->second = lies_computed(*at->second, root.result, program.sharding(root));
    computed_[{number, static_cast<int32_t>(i)}] = at->second;
  }
}

}  // namespace mtf::graph
