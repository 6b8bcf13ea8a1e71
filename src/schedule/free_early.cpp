// A parameter is updated as soon as its gradient exists and no later step reads the parameter's old value. So the
// gradients never exist all at once, unless an operation reads all of them, such as a norm. The pass
// fuse_loops supports this, because it joins no fusions if the join only keeps values for longer.
#include <algorithm>
#include <numeric>
#include <queue>

#include "schedule/passes.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

constexpr size_t kMostAlong = 64;  // the most producers that move with a step

class Releaser {
 public:
  explicit Releaser(Schedule& schedule)
      : schedule_(schedule),
        steps_(schedule.steps),
        memory_(schedule.alias_of),
        kind_(schedule.program.values.size(), Memory::kArena),
        maker_(schedule.program.values.size(), -1),
        readers_(schedule.program.values.size()),
        others_end_(schedule.program.values.size(), -1),
        anchor_(schedule.steps.size()),
        under_way_(schedule.steps.size(), 0) {
    find_memory();
    std::vector<int> under_way;
    for (int s = 0; s < static_cast<int>(steps_.size()); ++s) {
      const Step& step = steps_[s];
      for (int v : step.writes) maker_[v] = s;
      for (int v : step.reads) readers_[memory(v)].push_back(s);
      std::erase_if(under_way, [&](int c) { return steps_[c].finish <= s; });
      if (!under_way.empty()) under_way_[s] = under_way.back();
      if (step.kind == StepKind::kCollective) under_way.push_back(s);
    }
    for (int s = 0; s < static_cast<int>(steps_.size()); ++s) frees_.push_back(bytes_freed(s));
  }

  void run() {
    std::iota(anchor_.begin(), anchor_.end(), 0);
    for (int s = 0; s < static_cast<int>(steps_.size()); ++s) {
      check_interrupt();
      if (computes(s) && frees_[s] > 0) move(s);
    }
    put_in_order();
  }

 private:
  enum class Memory : uint8_t { kArena, kDyingInput, kKept };

  void find_memory() {
    for (const spmd::Instruction& instruction : schedule_.program.instructions)
      if (instruction.kind == spmd::InstructionKind::kInput)
        kind_[instruction.results[0]] = instruction.dies ? Memory::kDyingInput : Memory::kKept;
    for (const std::vector<int>& output : schedule_.program.outputs)
      for (int v : output) kind_[schedule_.alias_of[v]] = Memory::kKept;
    for (const Step& step : steps_)
      if (step.kind == StepKind::kWindow) memory_[step.writes[0]] = memory(step.reads[0]);
  }

  /// Returns the value whose memory `v` is, or is a window into.
  int memory(int v) const { return memory_[schedule_.alias_of[v]]; }

  int64_t bytes(int v) const {
    return largest_block(schedule_.program.values[v]) * size_of(schedule_.program.values[v].element);
  }

  bool computes(int s) const {
    const StepKind kind = steps_[s].kind;
    return kind == StepKind::kFusion || kind == StepKind::kKernel || kind == StepKind::kSlice;
  }

  /// Returns the memory that a step is the last to read, in the arena or in dying inputs, each once.
  std::vector<int> read_last(int s) const {
    std::vector<int> last;
    for (int v : steps_[s].reads)
      if (const int read = memory(v); kind_[read] != Memory::kKept && readers_[read].back() == s) last.push_back(read);
    std::sort(last.begin(), last.end());
    last.erase(std::unique(last.begin(), last.end()), last.end());
    return last;
  }

  /// Returns how many bytes of the arena a step frees. Inputs and outputs stay for the whole run.
  int64_t bytes_freed(int s) const {
    int64_t freed = 0;
    for (int read : read_last(s))
      if (kind_[read] == Memory::kArena) freed += bytes(read);
    for (int v : steps_[s].writes)
      if (kind_[v] == Memory::kArena) freed -= bytes(v);
    return freed;
  }

  /// Returns the step after which step `s` has ended.
  int end_of(int s) const { return std::max(anchor_[s], steps_[s].finish); }

  /// Returns the step after which all readers of a memory except the last one have ended.
  int end_of_others(int memory) {
    int& end = others_end_[memory];
    if (end < 0)
      for (int reader : readers_[memory]) end = std::max(end, reader == readers_[memory].back() ? 0 : end_of(reader));
    return end;
  }

  /// Moves `step` to the first position after its producers and after the other consumers of the operands that it
  /// frees. Moves some producers with it, as long as they hold less memory than `step` frees.
  void move(int step) {
    int anchor = 0;
    std::vector<int> moving;
    std::priority_queue<std::pair<int, int>> needed;  // by the step after which they end
    const auto take = [&](int s) {
      moving.push_back(s);
      anchor = std::max(anchor, under_way_[s]);
      for (int v : steps_[s].reads)
        for (int made : {schedule_.alias_of[v], memory(v)})
          if (maker_[made] >= 0) needed.emplace(end_of(maker_[made]), maker_[made]);
      for (int read : read_last(s)) anchor = std::max(anchor, end_of_others(read));
    };
    take(step);
    for (int64_t left = frees_[step]; !needed.empty() && needed.top().first > anchor;) {
      const auto [end, maker] = needed.top();
      if (maker != moving.back()) {
        left += std::min<int64_t>(0, frees_[maker]);
        if (!computes(maker) || left <= 0 || moving.size() > kMostAlong) break;
        take(maker);
      }
      needed.pop();
    }
    if (!needed.empty()) anchor = std::max(anchor, needed.top().first);
    for (int s : moving) anchor_[s] = std::min(anchor_[s], anchor);
  }

  void put_in_order() {
    const int count = static_cast<int>(steps_.size());
    std::vector<std::vector<int>> behind(steps_.size());
    for (int s = 0; s < count; ++s)
      if (anchor_[s] < s) behind[anchor_[s]].push_back(s);
    std::vector<Step> ordered;
    ordered.reserve(steps_.size());
    std::vector<int> index(steps_.size() + 1, count);
    const auto append = [&](int s) {
      index[s] = static_cast<int>(ordered.size());
      ordered.push_back(std::move(steps_[s]));
    };
    for (int s = 0; s < count; ++s) {
      if (anchor_[s] == s) append(s);
      for (int moved : behind[s]) append(moved);
    }
    for (Step& step : ordered)
      if (step.kind == StepKind::kCollective) step.finish = index[step.finish];
    steps_ = std::move(ordered);
  }

  Schedule& schedule_;
  std::vector<Step>& steps_;
  std::vector<int> memory_;   // for each value with its own memory, or a window: the value that owns the memory
  std::vector<Memory> kind_;  // for each value with its own memory
  std::vector<int> maker_;    // for each value: its producer
  std::vector<std::vector<int>> readers_;  // for each value with its own memory: the steps that read any part of it
  std::vector<int> others_end_;  // for each value with its own memory: end_of_others(), or -1 before the first request
  std::vector<int> anchor_;      // for each step: itself, or the step behind which it moves
  std::vector<int> under_way_;   // for each step: the latest collective that runs beside it
  std::vector<int64_t> frees_;   // for each step
};

}  // namespace

void free_early(Schedule& schedule) { Releaser(schedule).run(); }

}  // namespace mtf::schedule
