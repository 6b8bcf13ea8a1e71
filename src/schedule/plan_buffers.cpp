#include <algorithm>
#include <functional>
#include <queue>

#include "graph/region.h"
#include "schedule/pack.h"
#include "schedule/passes.h"
#include "schedule/same_memory.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

/// True if a fusion visits the elements of both values at the same offsets: their dims, matched by name, have the same
/// storage order.
bool same_strides(const spmd::LocalValue& a, const spmd::LocalValue& b) {
  for (size_t i = 0; i < a.order.size(); ++i)
    if (a.dims[a.order[i]].dim.name != b.dims[b.order[i]].dim.name) return false;
  return true;
}

void plan_with_bodies(Schedule& schedule, const graph::Region* region);

/// Dying inputs, whose memory other values may reuse, one after the other.
class DyingInputs {
 public:
  explicit DyingInputs(const spmd::LocalProgram& program) : kinds_(program), is_dying_(program.values.size(), false) {}

  /// Adds an input; `last` is the last step that reads it.
  void add(int value, int last) {
    is_dying_[value] = true;
    class_of(value).later.emplace(last, static_cast<int>(inputs_.size()));
    inputs_.push_back(value);
  }

  bool has(int value) const { return is_dying_[value]; }
  void remove(int value) { is_dying_[value] = false; }

  /// Returns the first dying input without reads from `step` on, and with memory that fits `result`; -1 if there is
  /// none. Steps must ascend from call to call.
  int find(int result, int step) {
    Class& same = class_of(result);
    for (; !same.later.empty() && same.later.top().first < step; same.later.pop())
      same.free.push(same.later.top().second);
    while (!same.free.empty() && !is_dying_[inputs_[same.free.top()]]) same.free.pop();
    return same.free.empty() ? -1 : inputs_[same.free.top()];
  }

 private:
  /// Inputs of one kind of memory, as indices in inputs_.
  struct Class {
    std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<>>
        later;  // by the last step that reads them
    std::priority_queue<int, std::vector<int>, std::greater<>> free;
  };

  Class& class_of(int value) {
    const size_t kind = static_cast<size_t>(kinds_.of(value));
    if (kind >= classes_.size()) classes_.resize(kind + 1);
    return classes_[kind];
  }

  MemoryKinds kinds_;
  std::vector<bool> is_dying_;  // for each value
  std::vector<int> inputs_;
  std::vector<Class> classes_;  // for each kind of memory
};

class Planner {
 public:
  /// `region`: the loop whose iteration the schedule is; null: none.
  Planner(Schedule& schedule, const graph::Region* region)
      : s_(schedule),
        program_(schedule.program),
        region_(region),
        last_(program_.values.size(), -1),
        dying_(program_),
        slices_(program_) {}

  void run() {
    s_.buffer_of.assign(program_.values.size(), -1);
    s_.buffers.clear();
    find_last_reads();
    place_inputs();
    for (size_t s = 0; s < s_.steps.size(); ++s) {
      check_interrupt();
      place_step(static_cast<int>(s));
    }
    for (size_t v = 0; v < program_.values.size(); ++v) s_.buffer_of[v] = s_.buffer_of[s_.alias_of[v]];
  }

 private:
  static constexpr int kAlways = 1 << 30;

  int root(int v) const { return s_.alias_of[v]; }

  /// Returns the last step that runs while the operands of step `s` are in use.
  int ends(int s) const {
    const Step& step = s_.steps[s];
    return step.kind == StepKind::kCollective ? std::max(s, step.finish - 1) : s;
  }

  void find_last_reads() {
    is_output_.assign(program_.values.size(), false);
    in_kernel_.assign(program_.values.size(), false);
    std::vector<size_t> made(program_.values.size(), 0);
    for (size_t s = 0; s < s_.steps.size(); ++s)
      for (int v : s_.steps[s].writes) {
        made[v] = s;
        last_[v] = ends(static_cast<int>(s));  // the step writes its results, even without readers
      }
    for (size_t s = 0; s < s_.steps.size(); ++s)
      for (int v : s_.steps[s].reads) {
        MTF_CHECK(made[root(v)] <= s, "step {} reads {}, which step {} makes", s, program_.values[v].name,
                  made[root(v)]);
        last_[root(v)] = std::max(last_[root(v)], ends(static_cast<int>(s)));
        if (s_.steps[s].kind != StepKind::kFusion) in_kernel_[root(v)] = true;
      }
    is_ys_.assign(program_.values.size(), false);
    for (size_t r = 0; r < program_.outputs.size(); ++r)
      for (int v : program_.outputs[r]) {
        last_[root(v)] = kAlways;
        is_output_[root(v)] = true;
        const auto result = static_cast<int32_t>(r);
        is_ys_[root(v)] = region_ && result >= region_->carried && result < region_->carried + region_->stacked;
      }
    // A read of a window reads the value that the window looks into.
    for (auto step = s_.steps.rbegin(); step != s_.steps.rend(); ++step)
      if (step->kind == StepKind::kWindow)
        last_[root(step->reads[0])] = std::max(last_[root(step->reads[0])], last_[root(step->writes[0])]);
  }

  int new_buffer(BufferKind kind, int value, int first) {
    Buffer buffer;
    buffer.kind = kind;
    buffer.value = value;
    buffer.first = first;
    buffer.last = std::max(s_.steps.empty() ? first : ends(std::min<int>(first, static_cast<int>(s_.steps.size()) - 1)),
                           std::min(last_[value], static_cast<int>(s_.steps.size())));
    s_.buffers.push_back(buffer);
    last_value_.push_back(value);
    return s_.buffer_of[value] = static_cast<int>(s_.buffers.size()) - 1;
  }

  void place_inputs() {
    for (const spmd::Instruction& instruction : program_.instructions) {
      if (instruction.kind != spmd::InstructionKind::kInput) continue;
      const int v = instruction.results[0];
      if (!is_host_number(instruction)) {
        new_buffer(BufferKind::kInput, v, 0);
        const bool is_slice = region_ && is_slice_of_xs(*region_, instruction);
        if (instruction.dies && !is_output_[v]) (is_slice ? slices_ : dying_).add(v, last_[v]);
      } else if (is_output_[v]) {
        new_buffer(BufferKind::kOutput, v, 0);
      } else if (in_kernel_[v]) {
        // Fusions take a number of the host as a scalar. Other steps read it from memory, which is filled at the start
        // of the run.
        new_buffer(BufferKind::kArena, v, 0);
      }
    }
  }

  /// Returns the operands that the step may overwrite with `result` while it reads them.
  std::vector<int> overwritable(const Step& step, int result) const {
    if (step.kind == StepKind::kFusion) {
      for (size_t o = 0; o < step.loop->outputs.size(); ++o)
        if (step.loop->outputs[o] == result && step.loop->program.outputs[o].reduction != kernels::Reduction::kStore)
          return {};
      return step.reads;
    }
    const spmd::Instruction& instruction = program_.instructions[step.instructions[0]];
    if (step.kind != StepKind::kKernel || !overwrites_operand(instruction) || result != instruction.results[0])
      return {};
    const int first = instruction.operands[0];
    if (std::count_if(instruction.operands.begin(), instruction.operands.end(),
                      [&](int v) { return root(v) == root(first); }) > 1)
      return {};
    return {first};
  }

  /// True if nothing reads the memory of operand `v` after step `s`, and no other result of the step has taken it over.
  bool gives_up_memory(int v, int s) const {
    const int r = root(v), buffer = s_.buffer_of[r];
    return last_[r] == s && buffer >= 0 && last_value_[buffer] == r && s_.buffers[buffer].last == s &&
           program_.values[v].varies() == program_.values[r].varies();
  }

  /// Returns the operand whose memory the step can overwrite with `result`; -1 if there is none. For an output,
  /// prefers an input.
  int in_place(const Step& step, int s, int result) {
    int found = -1;
    for (int v : overwritable(step, result)) {
      int r = root(v);
      if (!gives_up_memory(v, s) || !same_memory(program_.values[v], program_.values[result])) continue;
      if (!same_strides(program_.values[v], program_.values[result])) continue;
      if (std::count_if(step.reads.begin(), step.reads.end(), [&](int w) { return root(w) == r; }) != 1) continue;
      bool is_input = s_.buffers[s_.buffer_of[r]].kind == BufferKind::kInput;
      if (is_input && !dying_.has(r) && !(slices_.has(r) && is_ys_[result])) continue;
      if (!same_memory(program_.values[r], program_.values[result]) && size_differs(r, v)) continue;
      if (!is_output_[result] || is_input) return r;
      if (found < 0) found = r;
    }
    return found;
  }

  /// Plans the body of a loop. An iteration may write over its slices of xs that nothing reads after the loop.
  void plan_iteration(int s) {
    Schedule& iteration = *s_.steps[s].iteration;
    const spmd::Instruction& loop = program_.instructions[s_.steps[s].instructions[0]];
    const graph::Region& region = *loop.node->region;
    std::vector<int> inputs(loop.operands.size(), 0);  // of the body, for each operand of the loop
    for (const spmd::Instruction& each : iteration.program.instructions)
      if (is_slice_of_xs(region, each)) ++inputs[static_cast<size_t>(each.input)];
    for (spmd::Instruction& each : iteration.program.instructions)
      if (is_slice_of_xs(region, each))
        each.dies = inputs[static_cast<size_t>(each.input)] == 1 && dies_in_loop(s, loop, loop.operands[each.input]);
    plan_with_bodies(iteration, &region);
  }

  /// True if nothing else reads the memory of xs `v` in the loop or after it, and some ys could take it over.
  bool dies_in_loop(int s, const spmd::Instruction& loop, int v) const {
    const graph::Region& region = *loop.node->region;
    const int r = root(v);
    if (!region.stages.empty() || region.hands_on || !gives_up_memory(v, s) || size_differs(r, v)) return false;
    if (s_.buffers[s_.buffer_of[r]].kind == BufferKind::kInput && !dying_.has(r)) return false;
    const auto reads_it = [&](int w) { return root(w) == r; };
    if (std::count_if(loop.operands.begin(), loop.operands.end(), reads_it) != 1) return false;
    const auto ys = loop.results.begin() + region.carried;
    return std::any_of(ys, ys + region.stacked, [&](int result) { return may_lie_in(result, v); });
  }

  /// True if ys may have the memory of xs: slices of both lie at the same offsets, and each processor has all slices.
  bool may_lie_in(int ys, int xs) const {
    const spmd::LocalValue &a = program_.values[xs], &b = program_.values[ys];
    return a.dims[0].axes.empty() && b.dims[0].axes.empty() && same_memory(a, b) && same_strides(a, b);
  }

  /// Returns the operand of a loop that each iteration overwrites with its slice of the ys `result`; -1 if there is
  /// none.
  int overwritten_xs(const Step& step, int result) const {
    const spmd::Instruction& loop = program_.instructions[step.instructions[0]];
    const int operand = xs_overwritten_by(loop, *step.iteration, result);
    if (operand < 0 || !may_lie_in(result, operand) || last_value_[s_.buffer_of[root(operand)]] != root(operand))
      return -1;
    return root(operand);
  }

  bool size_differs(int a, int b) const {
    return largest_block(program_.values[a]) * size_of(program_.values[a].element) !=
           largest_block(program_.values[b]) * size_of(program_.values[b].element);
  }

  void place_step(int s) {
    const Step& step = s_.steps[s];
    if (step.kind == StepKind::kWindow) return;
    if (step.iteration) plan_iteration(s);
    for (int result : step.writes) {
      int from = step.iteration ? overwritten_xs(step, result) : in_place(step, s, result);
      // Memory of an input exists for the whole run, as an output needs. Memory of the arena does not.
      const auto is_free_input = [&](int v) { return dying_.has(v) || slices_.has(v); };
      if (is_ys_[result] && (from < 0 || !is_free_input(from)))
        if (const int free = slices_.find(result, s); free >= 0) from = free;
      if (from < 0 || (is_output_[result] && !is_free_input(from)))
        if (const int free = dying_.find(result, s); free >= 0) from = free;
      if (from >= 0) take_over(from, result);
      else new_buffer(is_output_[result] ? BufferKind::kOutput : BufferKind::kArena, result, s);
    }
    if (step.kind == StepKind::kCollective || step.kind == StepKind::kIterations) {
      Buffer staging;
      staging.kind = BufferKind::kStaging;
      staging.value = step.reads.empty() ? step.writes[0] : step.reads[0];
      staging.first = s;
      staging.last = ends(s);
      s_.buffers.push_back(staging);
      last_value_.push_back(-1);
    }
  }

  void take_over(int operand, int result) {
    int buffer = s_.buffer_of[operand];
    s_.buffer_of[result] = buffer;
    if (is_output_[result] && s_.buffers[buffer].kind == BufferKind::kArena)
      s_.buffers[buffer].kind = BufferKind::kOutput;
    s_.buffers[buffer].last = std::min(last_[result], static_cast<int>(s_.steps.size()));
    last_value_[buffer] = result;
    slices_.remove(operand);
    if (!dying_.has(operand)) return;
    dying_.remove(operand);
    if (!is_output_[result]) dying_.add(result, last_[result]);
  }

  Schedule& s_;
  const spmd::LocalProgram& program_;
  const graph::Region* const region_;
  std::vector<int> last_;        // for each value with its own memory: the last step that writes or reads it
  std::vector<int> last_value_;  // for each buffer: its latest value
  std::vector<bool> is_output_;
  std::vector<bool> is_ys_;  // of the loop whose iteration this is
  std::vector<bool> in_kernel_;
  DyingInputs dying_;
  DyingInputs slices_;  // of xs that die with the loop; only ys take their memory
};

void plan_with_bodies(Schedule& schedule, const graph::Region* region) {
  Planner(schedule, region).run();
  // A stage of joined loops keeps values of several micro-batches at once, and their results lie together.
  if (!region || region->joined.empty()) lend_outputs(schedule);
}

}  // namespace

void plan_buffers(Schedule& schedule) { plan_with_bodies(schedule, nullptr); }

}  // namespace mtf::schedule
