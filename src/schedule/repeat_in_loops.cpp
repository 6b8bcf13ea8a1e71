#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "graph/op.h"
#include "schedule/passes.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

constexpr size_t kLongestFusion = 64, kMostReads = 24;  // as in fuse_loops
constexpr size_t kLongestChain = 6;                     // the most instructions that are repeated for one value
constexpr int kForever = std::numeric_limits<int>::max();

/// How a fusion computes one value again.
struct Chain {
  std::vector<int> instructions;  ///< operands first
  std::vector<int> reads;         ///< values from outside
  int64_t kept = 0;               ///< bytes of values that must live longer for it
};

class Repeater {
 public:
  explicit Repeater(Schedule& schedule)
      : schedule_(schedule),
        program_(schedule.program),
        steps_(schedule.steps),
        maker_(program_.values.size(), -1),
        made_in_(program_.values.size(), -1),
        readers_(program_.values.size()),
        stays_(program_.values.size(), false),
        copies_(steps_.size()) {
    for (const spmd::Instruction& instruction : program_.instructions)
      if (instruction.kind == spmd::InstructionKind::kInput && !instruction.dies) stays_[instruction.results[0]] = true;
    for (const std::vector<int>& outputs : program_.outputs)
      for (int v : outputs) stays_[schedule_.alias_of[v]] = true;
    int others = 0;
    for (int s = 0; s < static_cast<int>(steps_.size()); ++s) {
      for (int i : steps_[s].instructions)
        for (int v : program_.instructions[i].results) maker_[v] = i, made_in_[v] = s;
      for (int v : steps_[s].reads)
        if (made_in_[schedule_.alias_of[v]] != s) add_reader(schedule_.alias_of[v], s);
      others_before_.push_back(others += steps_[s].kind != StepKind::kFusion);
    }
  }

  void run() {
    for (const Step& step : steps_) {
      check_interrupt();
      if (step.kind != StepKind::kFusion) continue;
      for (int i : std::vector<int>(step.instructions))
        if (can_repeat(i)) consider(program_.instructions[i].results[0]);
    }
  }

 private:
  void add_reader(int value, int step) {
    std::vector<int>& readers = readers_[value];
    const auto at = std::lower_bound(readers.begin(), readers.end(), step);
    if (at == readers.end() || *at != step) readers.insert(at, step);
  }

  bool can_repeat(int instruction) const {
    if (program_.instructions[instruction].kind != spmd::InstructionKind::kCompute) return false;
    const graph::Op& op = *program_.instructions[instruction].node->op;
    return op.lane ? kernels::is_cheap(*op.lane) : repeats(program_.instructions[instruction]);
  }

  /// Returns the last step that reads a value, or kForever.
  int last(int value) const { return stays_[value] ? kForever : readers_[value].empty() ? -1 : readers_[value].back(); }

  int64_t bytes(int v) const { return largest_block(program_.values[v]) * size_of(program_.values[v].element); }

  static bool same_space(const spmd::LocalValue& x, const spmd::LocalValue& y) {
    if (x.mesh != y.mesh || x.dims.size() != y.dims.size() || x.varies() != y.varies()) return false;
    for (size_t i = 0; i < x.order.size(); ++i)
      if (!(x.dims[x.order[i]] == y.dims[y.order[i]])) return false;
    return true;
  }

  /// True if the step is a fusion over the dims of the value, and reads no view of it.
  bool can_make(int step, int value) const {
    if (steps_[step].kind != StepKind::kFusion) return false;
    for (int v : steps_[step].reads)
      if (v != value && schedule_.alias_of[v] == value) return false;
    const spmd::Instruction& first = program_.instructions[steps_[step].instructions[0]];
    const int shape = first.node->op->reduction ? first.operands[0] : first.results[0];
    return same_space(program_.values[shape], program_.values[value]);
  }

  /// True if other steps read nothing but this value of the step that makes it.
  bool is_only_result(int value) const {
    const std::vector<int>& writes = steps_[made_in_[value]].writes;
    return std::none_of(writes.begin(), writes.end(), [&](int v) { return v != value && last(v) >= 0; });
  }

  /// Lets the late readers of a value compute it, if steps that are no fusions run before them.
  void consider(int value) {
    const std::vector<int>& readers = readers_[value];
    if (stays_[value] || readers.empty()) return;
    size_t first = readers.size();
    for (size_t k = readers.size(); k-- > 0 && can_make(readers[k], value);)
      if (others_before_[readers[k]] > others_before_[k == 0 ? made_in_[value] : readers[k - 1]]) first = k;
    // A fusion without readers would be removed, and its work counted nowhere.
    if (first == readers.size() || (first == 0 && is_only_result(value))) return;
    const std::vector<int> late(readers.begin() + static_cast<std::ptrdiff_t>(first), readers.end());
    const std::optional<Chain> chain = chain_of(value, value, late.back(), kLongestChain);
    if (!chain || chain->kept >= bytes(value) || (chain->kept > 0 && gives_place(value, late.back()))) return;
    for (int step : late)
      if (steps_[step].instructions.size() + chain->instructions.size() > kLongestFusion ||
          steps_[step].reads.size() + chain->reads.size() > kMostReads)
        return;
    readers_[value].resize(first);
    for (int step : late) repeat(value, *chain, step);
  }

  /// True if a result of the value's last reader can take its place.
  bool gives_place(int value, int step) const {
    return std::any_of(steps_[step].writes.begin(), steps_[step].writes.end(),
                       [&](int v) { return last(v) > step && bytes(v) == bytes(value); });
  }

  /// Returns how a fusion over the dims of `like` computes a value with at most `most` instructions. What it reads must
  /// live until the step `until`.
  std::optional<Chain> chain_of(int value, int like, int until, size_t most) const {
    const int maker = maker_[value];
    if (most == 0 || maker < 0 || schedule_.alias_of[value] != value || !can_repeat(maker) ||
        !same_space(program_.values[value], program_.values[like]))
      return std::nullopt;
    Chain chain;
    for (int operand : program_.instructions[maker].operands) {
      const int memory = schedule_.alias_of[operand];
      Chain part{{}, {operand}, last(memory) >= until ? 0 : bytes(memory)};
      if (part.kept > 0)
        if (std::optional<Chain> longer = chain_of(operand, like, until, most - 1); longer && longer->kept < part.kept)
          part = std::move(*longer);
      for (int i : part.instructions)
        if (std::find(chain.instructions.begin(), chain.instructions.end(), i) == chain.instructions.end())
          chain.instructions.push_back(i);
      chain.reads.insert(chain.reads.end(), part.reads.begin(), part.reads.end());
      chain.kept += part.kept;
    }
    chain.instructions.push_back(maker);
    if (chain.instructions.size() > most) return std::nullopt;
    return chain;
  }

  /// The step computes the value from now on, instead of reading it.
  void repeat(int value, const Chain& chain, int s) {
    Step& step = steps_[s];
    std::vector<int> added;
    const auto own = [&](int v) {
      for (const auto& [original, copy] : copies_[s])
        if (original == v) return copy;
      return v;
    };
    for (int i : chain.instructions) {
      const int original = program_.instructions[i].results[0];
      if (own(original) != original) continue;
      spmd::Instruction copy = program_.instructions[i];
      for (int& operand : copy.operands) operand = own(operand);
      copy.is_repeated = true;
      const int made = static_cast<int>(program_.values.size());
      program_.values.push_back(spmd::LocalValue(program_.values[original]));
      schedule_.alias_of.push_back(made);
      copy.results = {made};
      added.push_back(static_cast<int>(program_.instructions.size()));
      program_.instructions.push_back(std::move(copy));
      copies_[s].emplace_back(original, made);
      maker_.push_back(added.back());
      made_in_.push_back(s);
      readers_.emplace_back();
      stays_.push_back(false);
      step.writes.push_back(made);
    }
    for (int i : step.instructions)
      for (int& operand : program_.instructions[i].operands)
        if (operand == value) operand = own(value);
    const auto index = step.instructions.begin() + static_cast<std::ptrdiff_t>(copies_[s].size() - added.size());
    step.instructions.insert(index, added.begin(), added.end());
    std::erase(step.reads, value);
    for (int v : chain.reads) {
      if (std::find(step.reads.begin(), step.reads.end(), v) == step.reads.end()) step.reads.push_back(v);
      add_reader(schedule_.alias_of[v], s);
    }
    std::sort(step.reads.begin(), step.reads.end());
  }

  Schedule& schedule_;
  spmd::LocalProgram& program_;
  std::vector<Step>& steps_;
  std::vector<int> maker_;                 // for each value, its instruction
  std::vector<int> made_in_;               // for each value, its step; -1: an input
  std::vector<std::vector<int>> readers_;  // for each value with its own memory, the other steps that read it
  std::vector<bool> stays_;                // for each value: it exists after the run
  std::vector<int> others_before_;         // for each step: the number of steps up to it that are no fusions
  std::vector<std::vector<std::pair<int, int>>> copies_;  // for each step: values that it repeats, and their copies
};

}  // namespace

void repeat_in_loops(Schedule& schedule) { Repeater(schedule).run(); }

}  // namespace mtf::schedule
