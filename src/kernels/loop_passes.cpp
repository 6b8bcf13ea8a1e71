#include "kernels/loop_passes.h"

#include <map>
#include <optional>
#include <utility>

namespace mtf::kernels {
namespace {

/// A function of x as `rest` of x and gate(x). Without a rest the function is the gate itself.
struct Gated {
  LaneOp function;
  LaneOp gate;
  std::optional<LaneOp> rest;
};
constexpr Gated kGated[] = {
    {LaneOp::kGelu, LaneOp::kGeluGate, LaneOp::kGated},
    {LaneOp::kGeluGrad, LaneOp::kGeluGate, LaneOp::kGeluGradOf},
    {LaneOp::kSigmoid, LaneOp::kSigmoid, std::nullopt},
    {LaneOp::kSwish, LaneOp::kSigmoid, LaneOp::kGated},
    {LaneOp::kSwishGrad, LaneOp::kSigmoid, LaneOp::kSwishGradOf},
};
const Gated* gated(LaneOp op) {
  for (const Gated& g : kGated) {
    if (g.function == op) return &g;
  }
  return nullptr;
}

/// A program that is rewritten step by step.
class Rewriter {
 public:
  explicit Rewriter(FusionProgram from)
      : from_(std::move(from)), types_(from_.value_types()), operands_(static_cast<int>(from_.operands.size())) {
    to_.operands = from_.operands;
    for (int v = 0; v < operands_; ++v) now_.push_back(v);
  }

  FusionProgram shared_gates() {
    for (const FusionStep& step : from_.steps) {
      if (const Gated* g = gated(step.op)) ++readers_[{g->gate, step.a}];
    }
    for (const FusionStep& step : from_.steps) {
      const Gated* g = gated(step.op);
      now_.push_back(g != nullptr && readers_[{g->gate, step.a}] > 1 ? by_gate(*g, step.a) : copy(step));
    }
    return finished();
  }

  FusionProgram used_steps() {
    std::vector<bool> used(types_.size(), false);
    for (const FusionOutput& output : from_.outputs) used[output.value] = true;
    for (int k = static_cast<int>(from_.steps.size()); k-- > 0;) {
      if (!used[operands_ + k]) continue;
      for (int v : {from_.steps[k].a, from_.steps[k].b, from_.steps[k].c}) {
        if (v >= 0) used[v] = true;
      }
    }
    for (int k = 0; k < static_cast<int>(from_.steps.size()); ++k) {
      now_.push_back(used[operands_ + k] ? copy(from_.steps[k]) : -1);
    }
    return finished();
  }

 private:
  struct Gate {
    int x = -1, value = -1;  // in the new program
  };

  int add(FusionStep step) {
    to_.steps.push_back(step);
    return operands_ + static_cast<int>(to_.steps.size()) - 1;
  }
  int cast(int value, ElementType type) { return add({LaneOp::kCast, value, -1, -1, type}); }

  int copy(FusionStep step) {
    for (int* v : {&step.a, &step.b, &step.c}) {
      if (*v >= 0) *v = now_[*v];
    }
    return add(step);
  }

  /// For bf16 too, the gate and the steps behind it are f32, as within the function's own step. Only the result is
  /// rounded.
  int by_gate(const Gated& g, int x) {
    const bool rounds = types_[x] == ElementType::kBf16;
    Gate& gate = gates_[{g.gate, x}];
    if (gate.value < 0) {
      gate.x = rounds ? cast(now_[x], ElementType::kF32) : now_[x];
      gate.value = add({g.gate, gate.x});
    }
    const int result = g.rest ? add({*g.rest, gate.x, gate.value}) : gate.value;
    return rounds ? cast(result, ElementType::kBf16) : result;
  }

  FusionProgram finished() {
    to_.outputs = from_.outputs;
    for (FusionOutput& output : to_.outputs) output.value = now_[output.value];
    return std::move(to_);
  }

  FusionProgram from_, to_;
  std::vector<ElementType> types_;
  int operands_;
  std::vector<int> now_;  // for each value of the old program its number in the new one
  std::map<std::pair<LaneOp, int>, int> readers_;
  std::map<std::pair<LaneOp, int>, Gate> gates_;
};

}  // namespace

FusionProgram with_shared_gates(FusionProgram program) { return Rewriter(std::move(program)).shared_gates(); }

FusionProgram without_unused_steps(FusionProgram program) { return Rewriter(std::move(program)).used_steps(); }

}  // namespace mtf::kernels
