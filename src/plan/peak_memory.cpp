#include "plan/peak_memory.h"

#include <algorithm>
#include <map>
#include <vector>

#include "graph/op.h"
#include "graph/region.h"
#include "ops/ops.h"
#include "plan/predict.h"
#include "schedule/schedule.h"
#include "spmd/pipeline.h"
#include "types/saturating.h"

namespace mtf::plan {
namespace {

constexpr size_t kMostHolders = 8;

bool is_backward(const spmd::Instruction& instruction) {
  return instruction.node && instruction.node->frame && instruction.node->frame->backward;
}

/// Which passes make the value that a buffer holds at one step, and read it at the step or afterwards.
struct Use {
  bool made_backward = false, read_backward = false, read_forward = false;
  bool is_copy = false;  ///< of an input
};

/// True if an instruction only gives values another type, another layout, or another place.
bool only_copies(const spmd::Instruction& instruction) {
  return instruction.kind != spmd::InstructionKind::kCompute || instruction.node->op->role == graph::Role::kView ||
         instruction.node->op == &ops::kCast;
}

std::vector<Use> uses_at(const schedule::Schedule& schedule, int peak, bool is_iteration) {
  std::vector<Use> uses(schedule.buffers.size());
  // Copies, and what they are copies of: tensors from before the program, and new params and states.
  std::vector<bool> copies(schedule.program.values.size());
  for (const int value : schedule.program.inputs) copies[static_cast<size_t>(value)] = !is_iteration;
  const auto of = [&](int value) -> Use* {
    const int buffer = schedule.buffer_of[static_cast<size_t>(value)];
    return buffer < 0 ? nullptr : &uses[static_cast<size_t>(buffer)];
  };
  for (size_t step = 0; step < schedule.steps.size(); ++step) {
    for (const int i : schedule.steps[step].instructions) {
      const spmd::Instruction& instruction = schedule.program.instructions[static_cast<size_t>(i)];
      const bool backward = is_backward(instruction);
      const bool copy = only_copies(instruction) && !instruction.operands.empty() &&
                        std::all_of(instruction.operands.begin(), instruction.operands.end(),
                                    [&](int value) { return copies[static_cast<size_t>(value)]; });
      const bool sums = instruction.node && instruction.node->region && instruction.node->region->summed > 0;
      if (static_cast<int>(step) >= peak)
        for (const int value : instruction.operands)
          if (Use* use = of(value)) (backward ? use->read_backward : use->read_forward) = true;
      if (static_cast<int>(step) <= peak)
        for (const int value : instruction.results) {
          copies[static_cast<size_t>(value)] = copy || (instruction.node && instruction.node->initial);
          if (Use* use = of(value)) use->made_backward = backward || sums, use->is_copy = copy;
        }
    }
  }
  return uses;
}

/// Returns the bytes that a stage of a pipeline keeps for all micro-batches under way but one.
int64_t saved_of_others(const schedule::Schedule& schedule, const schedule::Step& step) {
  const graph::LaidOutOperation& loop = *schedule.program.instructions[static_cast<size_t>(step.instructions[0])].node;
  const size_t turn = turning_point(*step.iteration);
  int64_t bytes = 0;
  for (const schedule::Buffer& buffer : step.iteration->buffers)
    if (is_kept(buffer, turn)) bytes = saturating_add(bytes, buffer_bytes(*step.iteration, buffer));
  return saturating_multiply(bytes, spmd::most_under_way(loop, 0) - 1);
}

/// Bytes of live values, by name.
using Holders = std::map<std::string, Holder>;

void add(Holders& holders, const Holder& more) {
  Holder& known = holders[more.name];
  known.name = more.name;
  known.values += more.values;
  known.bytes = saturating_add(known.bytes, more.bytes);
}

std::vector<Holder> largest(const Holders& holders) {
  std::vector<Holder> all;
  for (const auto& [name, holder] : holders) all.push_back(holder);
  std::stable_sort(all.begin(), all.end(), [](const Holder& a, const Holder& b) { return a.bytes > b.bytes; });
  if (all.size() > kMostHolders) all.resize(kMostHolders);
  return all;
}

PeakMemory peak_of(const schedule::Schedule& schedule, bool is_iteration);

void add(PeakMemory& memory, Holders& holders, const schedule::Schedule& schedule, const schedule::Buffer& buffer,
         const Use& use) {
  const int64_t bytes = buffer_bytes(schedule, buffer);
  if (buffer.kind != schedule::BufferKind::kStaging) {
    int64_t& kind = buffer.kind == schedule::BufferKind::kOutput ? memory.held
                    : use.is_copy                                ? memory.copies
                    : use.made_backward ? (use.read_forward ? memory.gradients : memory.temporary)
                    : use.read_backward ? memory.saved
                                        : memory.temporary;
    kind = saturating_add(kind, bytes);
    return;
  }
  const schedule::Step& step = schedule.steps[static_cast<size_t>(buffer.first)];
  if (!step.iteration) {
    memory.buffers = saturating_add(memory.buffers, bytes);
    return;
  }
  const PeakMemory inner = peak_of(*step.iteration, true);
  for (const Holder& holder : inner.holders) add(holders, holder);
  memory.copies = saturating_add(memory.copies, inner.copies);
  memory.saved = saturating_add(memory.saved, inner.saved);
  memory.gradients = saturating_add(memory.gradients, inner.gradients);
  memory.buffers = saturating_add(memory.buffers, inner.buffers);
  const int64_t rest = bytes - std::min(bytes, inner.copies + inner.saved + inner.gradients + inner.buffers);
  const int64_t saved = std::min(rest, saved_of_others(schedule, step));
  memory.saved = saturating_add(memory.saved, saved);
  memory.temporary = saturating_add(memory.temporary, rest - saved);
}

/// `is_iteration`: the inputs are those of a loop, not tensors from before.
PeakMemory peak_of(const schedule::Schedule& schedule, bool is_iteration) {
  const auto is_live = [](const schedule::Buffer& buffer, int step) {
    return buffer.kind == schedule::BufferKind::kOutput ||
           (buffer.kind != schedule::BufferKind::kInput && buffer.first <= step && step <= buffer.last);
  };
  // The step at which the buffers have the most bytes.
  std::vector<int64_t> change(schedule.steps.size() + 2);
  for (const schedule::Buffer& buffer : schedule.buffers) {
    if (buffer.kind == schedule::BufferKind::kInput || buffer.kind == schedule::BufferKind::kOutput) continue;
    const int64_t bytes = buffer_bytes(schedule, buffer);
    if (bytes >= kMost / 2) return {.temporary = kMost};
    change[static_cast<size_t>(buffer.first)] += bytes;
    change[static_cast<size_t>(buffer.last) + 1] -= bytes;
  }
  int peak = 0;
  int64_t live = 0, most = 0;
  for (size_t step = 0; step < change.size(); ++step) {
    live += change[step];
    if (live > most) most = live, peak = static_cast<int>(step);
  }
  PeakMemory memory;
  Holders holders;
  const std::vector<Use> uses = uses_at(schedule, peak, is_iteration);
  for (size_t b = 0; b < schedule.buffers.size(); ++b)
    if (is_live(schedule.buffers[b], peak)) add(memory, holders, schedule, schedule.buffers[b], uses[b]);
  for (const schedule::Buffer& buffer : schedule.buffers) {
    const bool is_input = buffer.kind == schedule::BufferKind::kInput && !is_iteration;
    if (buffer.kind == schedule::BufferKind::kStaging || !(is_input || is_live(buffer, peak))) continue;
    const std::string& name = schedule.program.values[static_cast<size_t>(buffer.value)].name;
    add(holders, {script_name(name), 1, buffer_bytes(schedule, buffer)});
  }
  memory.holders = largest(holders);
  return memory;
}

}  // namespace

int64_t PeakMemory::total() const {
  int64_t sum = held;
  for (const int64_t kind : {copies, saved, gradients, temporary, buffers}) sum = saturating_add(sum, kind);
  return sum;
}

std::string script_name(const std::string& name) {
  std::string text = name;
  for (size_t point = text.size(); point != std::string::npos;) {  // a part of a part: `h.1.2`
    point = text.find_last_not_of("0123456789");
    if (point == std::string::npos || point == 0 || point + 1 == text.size() || text[point] != '.') break;
    text.resize(point);
  }
  for (size_t open = text.find('['); open != std::string::npos; open = text.find('[', open + 1)) {
    const size_t close = text.find_first_not_of("0123456789", open + 1);
    if (close != std::string::npos && close > open + 1 && text[close] == ']')
      text.replace(open + 1, close - open - 1, "…");
  }
  return text;
}

void Rematerialized::add(const Remade& more) {
  Remade& known = by_name[script_name(more.name)];
  known.name = script_name(more.name);
  const auto add_to = [&](auto& sums) {
    sums.values += more.values;
    sums.bytes = saturating_add(sums.bytes, more.bytes);
    sums.flops = saturating_add(sums.flops, more.flops);
    sums.sent_bytes = saturating_add(sums.sent_bytes, more.sent_bytes);
  };
  add_to(*this);
  add_to(known);
}

std::vector<Remade> Rematerialized::largest() const {
  std::vector<Remade> all;
  for (const auto& [name, remade] : by_name)
    if (remade.values > 0) all.push_back(remade);
  std::stable_sort(all.begin(), all.end(), [](const Remade& a, const Remade& b) { return a.bytes > b.bytes; });
  if (all.size() > kMostHolders) all.resize(kMostHolders);
  return all;
}

PeakMemory peak_memory(const schedule::Schedule& schedule) { return peak_of(schedule, false); }

}  // namespace mtf::plan
