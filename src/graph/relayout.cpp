#include "graph/relayout.h"

#include <unordered_map>
#include <unordered_set>

#include "graph/layouts.h"
#include "support/diagnostics.h"

namespace mtf {

OperationRef lies_computed(const LaidOutOperation& operation, int result, const Sharding& sharding) {
  auto moved = std::make_shared<LaidOutOperation>(operation);
  moved->shardings[result] = sharding;
  moved->origin = LayoutOrigin::kComputed;
  moved->why = {};
  return moved;
}

const OperationRef& Relayout::operation(int32_t decision) {
  while (decided_.size() <= static_cast<size_t>(decision)) decide(record_.decisions()[decided_.size()]);
  return decided_[decision];
}

void Relayout::decide(const LayoutRecord::Decision& decision) {
  const LaidOutOperation& was = *decision.operation;
  if (was.origin == LayoutOrigin::kComputed) {
    const auto at = computed_.find({decision.program, decision.root});
    MTF_CHECK(at != computed_.end(), "root {} of program {} is read before it is computed", decision.root, decision.program);
    decided_.push_back(at->second);
    return;
  }
  auto operation = std::make_shared<LaidOutOperation>(was);
  LaidOutOperation& now = *operation;
  if (mesh_) now.mesh = mesh_;
  if (rules_ && now.why.rules) now.why.rules = rules_;
  if (decision.like.decision >= 0) now.why.like = decided_[decision.like.decision];
  auto operand = [&](size_t k) -> const LaidOutOperation& { return *decided_[decision.operands[k].decision]; };
  if (now.origin == LayoutOrigin::kRules) {
    std::vector<OperandLayout> operands;
    for (size_t k = 0; k < decision.operands.size(); ++k) {
      const int32_t result = decision.operands[k].result;
      operands.push_back({&operand(k).shardings[result], operand(k).inherited[result], operand(k).mesh.get()});
    }
    decide_layouts(now, operands);
  } else if (now.origin == LayoutOrigin::kLike) {
    FollowedLayout followed = layout_like(now.results[0].dims, *now.why.like, now.why.like_result);
    now.shardings[0] = std::move(followed.sharding);
    now.inherited[0] = followed.inherited;
  } else {
    const TensorType& type = now.results[0];
    const bool declared = now.why.like || now.why.rules;
    if (stored_ && is_annotatable(now)) now.why.asked = stored_->find(type.dims);
    Sharding& lies = now.shardings[0];
    if (now.why.like) lies = layout_like(type.dims, *now.why.like, now.why.like_result).sharding;
    else if (now.why.rules) lies = sharding_of(type, *now.why.rules, *now.mesh, now.span);
    else if (same_mesh(operand(0).mesh, now.mesh)) lies = operand(0).shardings[decision.operands[0].result];
    else lies = replicated(type.dims.size());
    if (now.why.asked) lies = asked_sharding(type, *now.why.asked, lies, *now.mesh, now.span);
    now.inherited[0] = declared ? 0 : lies.split();
  }
  decided_.push_back(std::move(operation));
}

Program Relayout::program(const RecordedProgram& recorded) {
  Program program = recorded.program;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    program.inputs[i].operation = operation(recorded.inputs[i]);
    program.inputs[i].order.clear();
  }
  std::vector<bool> is_followed(program.operations.size(), false);
  for (int32_t like : recorded.likes)
    if (like >= 0) is_followed[like] = true;
  std::unordered_set<const LaidOutOperation*> seen;
  for (size_t i = 0; i < program.operations.size(); ++i) {
    OperationRef& each = program.operations[i].operation;
    OperationRef now = operation(recorded.operations[i]);
    // Operations that lie alike may read other numbers of the host, and follow others that lie alike: which one, its
    // address says.
    const OperationRef& like = recorded.likes[i] < 0 ? now->why.like : program.operations[recorded.likes[i]].operation;
    const bool is_first = seen.insert(now.get()).second;
    if (each->inputs != now->inputs || like != now->why.like || (is_followed[i] && !is_first)) {
      auto other = std::make_shared<LaidOutOperation>(*now);
      other->inputs = each->inputs;
      other->why.like = like;
      now = std::move(other);
    }
    each = std::move(now);
  }
  return program;
}

void Relayout::computed(int32_t number, const Program& program, const std::vector<bool>& only_history) {
  std::unordered_map<int32_t, OperationRef> now;  // of operations with several such results
  for (size_t i = 0; i < program.roots.size(); ++i) {
    const ProgramValue root = program.roots[i];
    if (!only_history[i] || root.is_input()) continue;
    const auto at = now.try_emplace(root.source, program.operations[root.source].operation).first;
    at->second = lies_computed(*at->second, root.result, program.sharding(root));
    computed_[{number, static_cast<int32_t>(i)}] = at->second;
  }
}

}  // namespace mtf
