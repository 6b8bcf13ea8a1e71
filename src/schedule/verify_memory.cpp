#include <algorithm>
#include <vector>

#include "graph/region.h"
#include "schedule/schedule.h"
#include "support/diagnostics.h"

namespace mtf::schedule {
namespace {

/// A value is live from the step that writes it to the last step that needs it, both included.
struct LiveRange {
  int first = kBefore, last = kBefore;
  static constexpr int kBefore = -1;        ///< live before the first step
  static constexpr int kForEver = 1 << 30;  ///< live after the run, or owned by somebody else
};

/// Computes the live range of each value from the steps' instructions alone, and compares the buffers with the ranges.
class MemoryProof {
 public:
  /// `region`: the loop whose iteration the schedule is; null: none.
  MemoryProof(const Schedule& schedule, const graph::Region* region)
      : s_(schedule),
        program_(schedule.program),
        region_(region),
        maker_(program_.values.size(), -1),
        memory_(program_.values.size()),
        range_(program_.values.size()) {}

  void run() {
    find_memory();
    find_ranges();
    for (size_t v = 0; v < memory_.size(); ++v)
      if (memory_[v] == static_cast<int>(v) && s_.buffer_of[v] >= 0) check_buffer(static_cast<int>(v));
    check_apart();
    for (size_t s = 0; s < s_.steps.size(); ++s) {
      if (!s_.steps[s].iteration) continue;
      const spmd::Instruction& loop = program_.instructions[s_.steps[s].instructions[0]];
      for (const spmd::Instruction& each : s_.steps[s].iteration->program.instructions)
        if (each.dies && is_slice_of_xs(*loop.node->region, each)) check_dying_xs(static_cast<int>(s), loop, each);
      MemoryProof(*s_.steps[s].iteration, loop.node->region.get()).run();
    }
  }

 private:
  const std::string& name(int v) const { return program_.values[v].name; }
  const spmd::Instruction& maker(int v) const { return program_.instructions[maker_[v]]; }
  bool is_input(int v) const { return maker(v).kind == spmd::InstructionKind::kInput; }

  int64_t bytes(int v) const { return largest_block(program_.values[v]) * size_of(program_.values[v].element); }

  /// Finds the value that owns the memory of each value. A view or a window uses the memory of its operand.
  void find_memory() {
    std::vector<bool> is_window_step(program_.instructions.size());
    for (const Step& step : s_.steps)
      if (step.kind == StepKind::kWindow) is_window_step[step.instructions[0]] = true;
    for (size_t i = 0; i < program_.instructions.size(); ++i) {
      const spmd::Instruction& instruction = program_.instructions[i];
      for (int v : instruction.results) {
        maker_[v] = static_cast<int>(i);
        memory_[v] = v;
        if (s_.alias_of[v] != v) {
          MTF_CHECK(shares_memory(program_, instruction) && s_.alias_of[v] == s_.alias_of[instruction.operands[0]],
                    "{} is said to be the memory of {}", name(v), name(s_.alias_of[v]));
          memory_[v] = memory_[instruction.operands[0]];
        } else if (is_window_step[i]) {
          MTF_CHECK(is_window(program_, instruction), "{} is no window", name(v));
          memory_[v] = memory_[instruction.operands[0]];
        }
      }
    }
  }

  /// Returns the last step that runs while the operands and results of step `s` are in use.
  int end_of(int s) const {
    const Step& step = s_.steps[s];
    return step.kind == StepKind::kCollective ? std::max(s, step.finish - 1) : s;
  }

  void find_ranges() {
    for (int s = 0; s < static_cast<int>(s_.steps.size()); ++s)
      for (int i : s_.steps[s].instructions) {
        for (int v : program_.instructions[i].results)
          if (memory_[v] == v) range_[v] = {s, end_of(s)};
        for (int v : program_.instructions[i].operands) extend(v, end_of(s));
      }
    for (const std::vector<int>& output : program_.outputs)
      for (int v : output) extend(v, LiveRange::kForEver);
    for (const spmd::Instruction& instruction : program_.instructions)
      if (instruction.kind == spmd::InstructionKind::kInput && !is_host_number(instruction) && !dies(instruction))
        extend(instruction.results[0], LiveRange::kForEver);
  }

  void extend(int v, int until) {
    int& last = range_[memory_[v]].last;
    last = std::max(last, until);
  }

  /// True if nothing needs an input after the program. An iteration may only overwrite the carry, its sums, and its
  /// slices of xs that die with the loop (check_dying_xs).
  bool dies(const spmd::Instruction& input) const {
    return input.dies &&
           (!region_ || input.sum >= 0 || input.input < region_->carried || is_slice_of_xs(*region_, input));
  }

  /// Checks that only this input reads the memory of the xs, and nothing after the loop.
  void check_dying_xs(int s, const spmd::Instruction& loop, const spmd::Instruction& input) const {
    const graph::Region& region = *loop.node->region;
    const int xs = loop.operands[static_cast<size_t>(input.input)];
    const spmd::Instruction& owner = maker(memory_[xs]);
    const bool lives = owner.kind == spmd::InstructionKind::kInput && !dies(owner);
    MTF_CHECK(region.stages.empty() && !region.hands_on && program_.values[xs].dims[0].axes.empty(),
              "iterations write over {}, whose slices lie apart", name(xs));
    MTF_CHECK(!lives && range_[memory_[xs]].last == s, "iterations write over {}, which is alive after them", name(xs));
    const std::vector<spmd::Instruction>& all = s_.steps[s].iteration->program.instructions;
    const auto readers = std::count_if(all.begin(), all.end(), [&](const spmd::Instruction& each) {
      return is_slice_of_xs(region, each) && each.input == input.input;
    });
    MTF_CHECK(readers == 1 && reads_of(loop, memory_[xs]) == 1, "iterations write over {}, which they read twice",
              name(xs));
  }

  /// Returns how many operands of an instruction lie in the memory of `owner`.
  std::ptrdiff_t reads_of(const spmd::Instruction& instruction, int owner) const {
    return std::count_if(instruction.operands.begin(), instruction.operands.end(),
                         [&](int v) { return memory_[v] == owner; });
  }

  /// Checks that a buffer is large enough for a value, and lasts as long as the value is live.
  void check_buffer(int v) const {
    const Buffer& buffer = s_.buffers[s_.buffer_of[v]];
    const LiveRange& range = range_[v];
    MTF_CHECK(buffer.kind != BufferKind::kStaging, "{} has the memory of a collective", name(v));
    MTF_CHECK(bytes(v) == bytes(buffer.value) && program_.values[v].varies() == program_.values[buffer.value].varies(),
              "{} has memory of another size than {}", name(v), name(buffer.value));
    MTF_CHECK(range.last != LiveRange::kForEver || buffer.kind != BufferKind::kArena, "{} is lost after the run",
              name(v));
    MTF_CHECK(buffer.kind != BufferKind::kInput || buffer.value != v || is_input(v), "{} is no input", name(v));
    if (buffer.kind == BufferKind::kArena)
      MTF_CHECK(buffer.first <= std::max(range.first, 0) && buffer.last >= range.last,
                "{} is alive from step {} to {}, its memory is there from {} to {}", name(v), range.first, range.last,
                buffer.first, buffer.last);
  }

  /// Checks that no two values of a buffer are live at once, except a result that overwrites its operand.
  void check_apart() const {
    std::vector<std::vector<int>> in_buffer(s_.buffers.size());
    for (int v = 0; v < static_cast<int>(memory_.size()); ++v)
      if (memory_[v] == v && s_.buffer_of[v] >= 0) in_buffer[s_.buffer_of[v]].push_back(v);
    for (std::vector<int>& values : in_buffer) {
      std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return range_[a].first < range_[b].first; });
      for (size_t i = 1; i < values.size(); ++i) {
        const int was = values[i - 1], now = values[i];
        const bool is_apart = range_[was].last < range_[now].first ||
                              (range_[was].last == range_[now].first && is_written_over(was, now));
        MTF_CHECK(is_apart, "{} is written over {}, which is alive until step {}", name(now), name(was),
                  range_[was].last);
        MTF_CHECK(
            maker(now).kind != spmd::InstructionKind::kToOwner && maker(was).kind != spmd::InstructionKind::kToOwner,
            "{} and {} share memory that only one processor has", name(was), name(now));
      }
    }
  }

  /// True if the step that writes `now` may overwrite its operand `was`: it reads each element before it writes the
  /// same element.
  bool is_written_over(int was, int now) const {
    const Step& step = s_.steps[range_[now].first];
    if (step.kind == StepKind::kFusion) {
      for (int i : step.instructions)
        for (int v : program_.instructions[i].operands)
          if (memory_[v] == was && !is_stored_alike(v, now)) return false;
      if (!step.loop) return false;
      for (size_t o = 0; o < step.loop->outputs.size(); ++o)
        if (step.loop->outputs[o] == now) return step.loop->program.outputs[o].reduction == kernels::Reduction::kStore;
      return false;
    }
    const spmd::Instruction& instruction = maker(now);
    if (step.iteration) {
      const int xs = xs_overwritten_by(instruction, *step.iteration, now);
      return xs >= 0 && memory_[xs] == was && is_stored_alike(xs, now);
    }
    if (step.kind != StepKind::kKernel || !overwrites_operand(instruction) || instruction.results[0] != now)
      return false;
    for (size_t k = 0; k < instruction.operands.size(); ++k)
      if ((memory_[instruction.operands[k]] == was) != (k == 0)) return false;
    return is_stored_alike(instruction.operands[0], now);
  }

  /// True if both have the same dims, the same splits, and the same storage order.
  bool is_stored_alike(int a, int b) const {
    const spmd::LocalValue &x = program_.values[a], &y = program_.values[b];
    if (x.dims.size() != y.dims.size() || size_of(x.element) != size_of(y.element)) return false;
    for (size_t i = 0; i < x.order.size(); ++i)
      if (!(x.dims[x.order[i]] == y.dims[y.order[i]])) return false;
    return true;
  }

  const Schedule& s_;
  const spmd::LocalProgram& program_;
  const graph::Region* const region_;
  std::vector<int> maker_;        // for each value: the instruction
  std::vector<int> memory_;       // for each value: the owner of its memory
  std::vector<LiveRange> range_;  // for each value with its own memory
};

}  // namespace

void verify_memory(const Schedule& schedule) { MemoryProof(schedule, nullptr).run(); }

}  // namespace mtf::schedule
