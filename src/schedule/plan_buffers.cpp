#include <algorithm>

#include "schedule/pack.h"
#include "schedule/passes.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

bool same_memory(const LocalValue& a, const LocalValue& b) {
  if (a.mesh != b.mesh || a.varies() != b.varies() || a.dims.size() != b.dims.size()) return false;
  if (size_of(a.element) != size_of(b.element)) return false;
  for (size_t i = 0; i < a.order.size(); ++i) {
    const LocalDim& x = a.dims[a.order[i]];
    const LocalDim& y = b.dims[b.order[i]];
    if (x.dim.size != y.dim.size || x.axes != y.axes || x.mapped != y.mapped || !(x.map == y.map)) return false;
  }
  return true;
}

/// A loop meets the elements of both at the same places: their dims, which it knows by name, are stored in one order.
bool same_strides(const LocalValue& a, const LocalValue& b) {
  for (size_t i = 0; i < a.order.size(); ++i)
    if (a.dims[a.order[i]].dim.name != b.dims[b.order[i]].dim.name) return false;
  return true;
}

class Planner {
 public:
  explicit Planner(Schedule& schedule) : s_(schedule), program_(schedule.program), last_(program_.values.size(), -1) {}

  void run() {
    s_.buffer_of.assign(program_.values.size(), -1);
    s_.buffers.clear();
    find_last_reads();
    for (size_t i = 0; i < program_.inputs.size(); ++i) place_input(static_cast<int>(i));
    for (size_t s = 0; s < s_.steps.size(); ++s) place_step(static_cast<int>(s));
    for (size_t v = 0; v < program_.values.size(); ++v) s_.buffer_of[v] = s_.buffer_of[s_.alias_of[v]];
  }

 private:
  static constexpr int kAlways = 1 << 30;

  int root(int v) const { return s_.alias_of[v]; }

  /// The last step during which a step's operands are read.
  int ends(int s) const {
    const Step& step = s_.steps[s];
    return step.kind == StepKind::kCollective ? std::max(s, step.finish - 1) : s;
  }

  void find_last_reads() {
    is_output_.assign(program_.values.size(), false);
    in_kernel_.assign(program_.values.size(), false);
    for (size_t s = 0; s < s_.steps.size(); ++s)
      for (int v : s_.steps[s].reads) {
        last_[root(v)] = std::max(last_[root(v)], ends(static_cast<int>(s)));
        if (s_.steps[s].kind != StepKind::kLoop) in_kernel_[root(v)] = true;
      }
    for (const std::vector<int>& outputs : program_.outputs)
      for (int v : outputs) {
        last_[root(v)] = kAlways;
        is_output_[root(v)] = true;
      }
  }

  int new_buffer(BufferKind kind, int value, int first) {
    Buffer buffer;
    buffer.kind = kind;
    buffer.value = value;
    buffer.first = first;
    buffer.last = std::max(s_.steps.empty() ? first : ends(std::min<int>(first, static_cast<int>(s_.steps.size()) - 1)), std::min(last_[value], static_cast<int>(s_.steps.size())));
    s_.buffers.push_back(buffer);
    return s_.buffer_of[value] = static_cast<int>(s_.buffers.size()) - 1;
  }

  void place_input(int input) {
    int v = program_.inputs[input];
    const Instruction* instruction = nullptr;
    for (const Instruction& i : program_.instructions)
      if (i.kind == InstructionKind::kInput && i.results[0] == v) instruction = &i;
    MTF_CHECK(instruction != nullptr, "{} is an input that no instruction makes", program_.values[v].name);
    if (is_host_number(*instruction)) {
      // Loops take it as a scalar; others read it from memory, which is filled when the run begins.
      if (is_output_[v]) new_buffer(BufferKind::kOutput, v, 0);
      else if (in_kernel_[v]) new_buffer(BufferKind::kArena, v, 0);
      return;
    }
    new_buffer(BufferKind::kInput, v, 0);
    if (s_.input_dies[input] && !is_output_[v]) dying_.push_back(v);
  }

  /// The operand whose memory the step can write `result` to while it reads it.
  int in_place(const Step& step, int s, int result) {
    if (step.kind != StepKind::kLoop) return -1;
    for (size_t o = 0; o < step.loop->outputs.size(); ++o)
      if (step.loop->outputs[o] == result && step.loop->program.outputs[o].reduction != Reduction::kStore) return -1;
    for (int v : step.reads) {
      int r = root(v);
      if (last_[r] != s || s_.buffer_of[r] < 0 || !same_memory(program_.values[v], program_.values[result])) continue;
      if (!same_strides(program_.values[v], program_.values[result])) continue;
      if (program_.values[v].varies() != program_.values[r].varies() || s_.buffers[s_.buffer_of[r]].last != s) continue;
      if (std::count_if(step.reads.begin(), step.reads.end(), [&](int w) { return root(w) == r; }) != 1) continue;
      bool is_input = s_.buffers[s_.buffer_of[r]].kind == BufferKind::kInput;
      if (is_input != is_output_[result]) continue;
      if (is_input && std::find(dying_.begin(), dying_.end(), r) == dying_.end()) continue;
      if (!same_memory(program_.values[r], program_.values[result]) && size_differs(r, v)) continue;
      return r;
    }
    return -1;
  }

  bool size_differs(int a, int b) const {
    return largest_block(program_.values[a]) * size_of(program_.values[a].element) !=
           largest_block(program_.values[b]) * size_of(program_.values[b].element);
  }

  void place_step(int s) {
    const Step& step = s_.steps[s];
    for (int result : step.writes) {
      if (int operand = in_place(step, s, result); operand >= 0) {
        take_over(operand, result);
        continue;
      }
      if (!is_output_[result]) {
        new_buffer(BufferKind::kArena, result, s);
        continue;
      }
      auto free = std::find_if(dying_.begin(), dying_.end(), [&](int v) {
        return last_[v] < s && same_memory(program_.values[v], program_.values[result]);
      });
      if (free != dying_.end()) take_over(*free, result);
      else new_buffer(BufferKind::kOutput, result, s);
    }
    if (step.kind == StepKind::kCollective) {
      Buffer staging;
      staging.kind = BufferKind::kStaging;
      staging.value = step.reads[0];
      staging.first = s;
      staging.last = ends(s);
      s_.buffers.push_back(staging);
    }
  }

  void take_over(int operand, int result) {
    int buffer = s_.buffer_of[operand];
    s_.buffer_of[result] = buffer;
    s_.buffers[buffer].last = std::min(last_[result] < 0 ? s_.buffers[buffer].last : last_[result], static_cast<int>(s_.steps.size()));
    std::erase(dying_, operand);
  }

  Schedule& s_;
  const LocalProgram& program_;
  std::vector<int> last_;  // for each value that others share memory with: the last step that reads any of them
  std::vector<bool> is_output_;
  std::vector<bool> in_kernel_;
  std::vector<int> dying_; // inputs whose memory an output may take
};

}  // namespace

void plan_buffers(Schedule& schedule) { Planner(schedule).run(); }

}  // namespace mtf
