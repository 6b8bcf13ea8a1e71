#include <algorithm>
#include <utility>

#include "graph/op.h"
#include "schedule/passes.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

bool same_names(const spmd::LocalValue& a, const spmd::LocalValue& b) {
  if (a.dims.size() != b.dims.size()) return false;
  return std::all_of(a.dims.begin(), a.dims.end(), [&](const spmd::LocalDim& d) {
    return std::any_of(b.dims.begin(), b.dims.end(), [&](const spmd::LocalDim& e) { return d.dim == e.dim; });
  });
}

kernels::Reduction reduction_for(ElementType element, kernels::Reduction reduction) {
  if (element != ElementType::kBool) return reduction;
  return reduction == kernels::Reduction::kMax   ? kernels::Reduction::kOr
         : reduction == kernels::Reduction::kMin ? kernels::Reduction::kAnd
                                                 : reduction;
}

/// The position of a value in a fusion: index among its operands, or among its steps.
struct Use {
  bool inside = false;
  int number = 0;
};

/// A small map from values to facts about them.
template <typename T>
class ByValue {
 public:
  const T* find(int value) const {
    for (size_t i = known_.size(); i-- > 0;)
      if (known_[i].first == value) return &known_[i].second;
    return nullptr;
  }
  void add(int value, T what) { known_.emplace_back(value, what); }

 private:
  std::vector<std::pair<int, T>> known_;
};

class FusionMaker {
 public:
  FusionMaker(const Schedule& schedule, Step& step, const std::vector<bool>& kept, const std::vector<bool>& is_number)
      : schedule_(schedule), program_(schedule.program), step_(step), kept_(kept), is_number_(is_number) {}

  void run() {
    collect();
    for (int v : plan_.operands) {
      kernels::FusionOperand operand;
      operand.type = program_.values[v].element;
      if (is_number_[v]) operand.kind = kernels::OperandKind::kScalar;
      plan_.program.operands.push_back(operand);
    }
    step_.writes.clear();
    for (size_t i = 0; i < step_.instructions.size(); ++i) add(program_.instructions[step_.instructions[i]], uses_[i]);
    for (int8_t d : shape_->order) plan_.dims.push_back(shape_->dims[d]);
    step_.reads = plan_.operands;
    step_.loop = std::move(plan_);
  }

 private:
  const graph::Op& op(const spmd::Instruction& instruction) const { return *instruction.node->op; }

  /// Operands are numbered before steps, so they are collected first.
  void collect() {
    int steps = 0;
    for (int i : step_.instructions) {
      const spmd::Instruction& instruction = program_.instructions[i];
      std::vector<Use>& uses = uses_.emplace_back();
      for (int v : instruction.operands) uses.push_back(resolve(v));
      if (op(instruction).lane) made_.add(instruction.results[0], {true, steps++});
      else if (!op(instruction).reduction) made_.add(instruction.results[0], uses[0]);
    }
  }

  Use resolve(int v) {
    const int root = schedule_.alias_of[v];
    const Use* inside = made_.find(root);
    if (inside && (v == root || same_names(program_.values[v], program_.values[root]))) return *inside;
    auto at = std::find(plan_.operands.begin(), plan_.operands.end(), v);
    if (at == plan_.operands.end()) at = plan_.operands.insert(at, v);
    return {false, static_cast<int>(at - plan_.operands.begin())};
  }

  int number(Use use) const { return use.inside ? static_cast<int>(plan_.operands.size()) + use.number : use.number; }

  void add(const spmd::Instruction& instruction, const std::vector<Use>& uses) {
    const int result = instruction.results[0];
    kernels::FusionOutput output;
    output.type = program_.values[result].element;
    if (op(instruction).reduction) {
      output.reduction = reduction_for(program_.values[instruction.operands[0]].element, *op(instruction).reduction);
      output.value = number(uses[0]);
      plan_.counted_reductions += op(instruction).work == graph::Work::kPerOperand;
      if (!shape_) shape_ = &program_.values[instruction.operands[0]];
    } else {
      if (op(instruction).lane) add_step(instruction, uses);
      output.value = number(*made_.find(result));
      if (!shape_ || kept_[result]) shape_ = &program_.values[result];
    }
    if (!op(instruction).reduction && !kept_[result]) return;
    plan_.program.outputs.push_back(output);
    plan_.outputs.push_back(result);
    step_.writes.push_back(result);
  }

  void add_step(const spmd::Instruction& instruction, const std::vector<Use>& uses) {
    kernels::FusionStep lane;
    lane.op = *op(instruction).lane;
    lane.type = program_.values[instruction.results[0]].element;
    int* slots[] = {&lane.a, &lane.b, &lane.c};
    MTF_CHECK(uses.size() <= 3, "{} has {} operands", op(instruction).name, uses.size());
    for (size_t k = 0; k < uses.size(); ++k) *slots[k] = number(uses[k]);
    plan_.program.steps.push_back(lane);
    plan_.counted_steps += op(instruction).work == graph::Work::kPerResult && !instruction.is_repeated;
  }

  const Schedule& schedule_;
  const spmd::LocalProgram& program_;
  Step& step_;
  const std::vector<bool>&kept_, &is_number_;  // for each value
  FusionPlan plan_;
  ByValue<Use> made_;                        // values made inside the fusion, without views
  std::vector<std::vector<Use>> uses_;       // for each instruction, its operands
  const spmd::LocalValue* shape_ = nullptr;  // the value that gives the fusion its dims and their order
};

/// Returns, for each value with its own memory, whether it is read outside its producer, or after the run.
std::vector<bool> kept_values(const Schedule& schedule) {
  const spmd::LocalProgram& program = schedule.program;
  std::vector<bool> kept(program.values.size(), false);
  std::vector<int> maker(program.values.size(), -1);
  for (const std::vector<int>& outputs : program.outputs)
    for (int v : outputs) kept[schedule.alias_of[v]] = true;
  for (size_t s = 0; s < schedule.steps.size(); ++s)
    for (int v : schedule.steps[s].writes) maker[v] = static_cast<int>(s);
  for (size_t s = 0; s < schedule.steps.size(); ++s)
    for (int v : schedule.steps[s].reads)
      if (const int root = schedule.alias_of[v]; maker[root] != static_cast<int>(s)) kept[root] = true;
  return kept;
}

}  // namespace

void make_loop(const Schedule& schedule, Step& step, const std::vector<bool>& kept,
               const std::vector<bool>& is_number) {
  check_interrupt();
  FusionMaker(schedule, step, kept, is_number).run();
}

void make_loops(Schedule& schedule) {
  const std::vector<bool> kept = kept_values(schedule), is_number = host_numbers(schedule.program);
  for (Step& step : schedule.steps)
    if (step.kind == StepKind::kFusion) make_loop(schedule, step, kept, is_number);
  // Removes fusions without readers.
  std::erase_if(schedule.steps, [](const Step& step) { return step.kind == StepKind::kFusion && step.writes.empty(); });
}

}  // namespace mtf::schedule
