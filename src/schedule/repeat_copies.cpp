#include "schedule/repeat_copies.h"

#include <algorithm>
#include <set>
#include <utility>

#include "schedule/passes.h"
#include "support/diagnostics.h"

namespace mtf::schedule {
namespace {

/// Writes the copies into the schedule.
class Copier {
 public:
  Copier(Schedule& schedule, const StepFacts& facts, const Trial& trial)
      : schedule_(schedule), program_(schedule.program), facts_(facts), trial_(trial) {
    copy_.assign(program_.values.size(), -1);
    maker_.assign(program_.values.size(), -1);
    for (size_t i = 0; i < program_.instructions.size(); ++i)
      for (const int v : program_.instructions[i].results) maker_[v] = static_cast<int>(i);
  }

  void run() {
    std::vector<Step> ordered;
    std::vector<int> index(schedule_.steps.size() + 1, 0);
    const std::vector<int>& copies = trial_.copies();
    std::vector<Step> again;  // before the late readers among the originals change their operands
    for (const int s : copies) again.push_back(copy_of(s));
    size_t next = 0;
    for (int s = 0; s < facts_.size(); ++s) {
      for (; next < copies.size() && trial_.at(copies[next]) == s; ++next) {
        ordered.push_back(std::move(again[next]));
        if (ordered.back().kind == StepKind::kCollective) ordered.back().finish = -static_cast<int>(ordered.size());
      }
      index[s] = static_cast<int>(ordered.size());
      Step step = std::move(schedule_.steps[s]);
      read_copies(step, s);
      ordered.push_back(std::move(step));
    }
    index[schedule_.steps.size()] = static_cast<int>(ordered.size());
    for (Step& step : ordered)
      if (step.kind == StepKind::kCollective) step.finish = step.finish < 0 ? -step.finish : index[step.finish];
    schedule_.steps = std::move(ordered);
    make_loops_of_copies();
  }

 private:
  /// Returns the value that a reader at step `reader` reads instead of `v`.
  int read_at(int v, int reader) {
    const int memory = schedule_.alias_of[v], maker = facts_.maker(memory);
    if (maker < 0 || !trial_.reads_copy(maker, memory, reader)) return v;
    MTF_CHECK(copy_[memory] >= 0, "{} is read before it is made again", program_.values[v].name);
    return view_of_copy(v);
  }

  /// Returns the copy of `v`, which is a value that was made again, or a view of one.
  int view_of_copy(int v) {
    if (copy_[v] >= 0) return copy_[v];
    spmd::Instruction view = program_.instructions[maker_[v]];
    view.operands = {view_of_copy(view.operands[0])};
    const int made = add_value(v);
    view.results = {made};
    schedule_.alias_of[made] = schedule_.alias_of[view.operands[0]];
    program_.instructions.push_back(std::move(view));
    return made;
  }

  int add_value(int original) {
    const int made = static_cast<int>(program_.values.size());
    program_.values.push_back(spmd::LocalValue(program_.values[original]));
    schedule_.alias_of.push_back(made);
    copy_.push_back(-1);
    maker_.push_back(-1);
    schedule_.remade.emplace_back(made, original);
    return copy_[original] = made;
  }

  Step copy_of(int s) {
    const Step& original = schedule_.steps[s];
    std::vector<char> needed(original.instructions.size(), original.kind != StepKind::kFusion);
    if (original.kind == StepKind::kFusion) find_needed(s, needed);
    std::vector<int> instructions;
    for (size_t k = 0; k < needed.size(); ++k)
      if (needed[k]) instructions.push_back(copy_instruction(original.instructions[k], s));
    Step step = step_of(program_, instructions);
    step.calls = original.calls;
    step.kind = original.kind;
    return step;
  }

  /// Finds the instructions of a fusion that the needed results depend on.
  void find_needed(int s, std::vector<char>& needed) const {
    const std::vector<int>& instructions = position(s);
    std::vector<int> values;
    for (size_t w = 0; w < facts_[s].written.size(); ++w)
      if (trial_.needed(s, w)) values.push_back(facts_[s].written[w].value);
    for (size_t k = instructions.size(); k-- > 0;) {
      const spmd::Instruction& instruction = program_.instructions[instructions[k]];
      if (std::find(values.begin(), values.end(), instruction.results[0]) == values.end()) continue;
      needed[k] = 1;
      for (const int v : instruction.operands) values.push_back(schedule_.alias_of[v]);
    }
  }

  const std::vector<int>& position(int s) const { return schedule_.steps[s].instructions; }

  int copy_instruction(int i, int s) {
    spmd::Instruction copy = program_.instructions[i];
    for (int& operand : copy.operands) {
      const int memory = schedule_.alias_of[operand];
      operand =
          facts_.maker(memory) == s || inside_.count(memory) ? view_of_copy(operand) : read_at(operand, trial_.at(s));
    }
    for (int& result : copy.results) {
      const int original = result;
      result = add_value(original);
      inside_.insert(original);
    }
    program_.instructions.push_back(std::move(copy));
    return static_cast<int>(program_.instructions.size()) - 1;
  }

  void read_copies(Step& step, int s) {
    const auto change = [&](int& v) { v = read_at(v, s); };
    std::for_each(step.reads.begin(), step.reads.end(), change);
    for (const int i : step.instructions)
      for (size_t k = 0; k < program_.instructions[i].operands.size(); ++k) {
        const int now = read_at(program_.instructions[i].operands[k], s);  // may add instructions
        program_.instructions[i].operands[k] = now;
      }
    if (step.loop) std::for_each(step.loop->operands.begin(), step.loop->operands.end(), change);
  }

  void make_loops_of_copies() {
    std::vector<bool> kept(program_.values.size(), false);
    std::vector<int> made_in(program_.values.size(), -1);
    for (size_t s = 0; s < schedule_.steps.size(); ++s)
      for (const int v : schedule_.steps[s].writes) made_in[v] = static_cast<int>(s);
    for (size_t s = 0; s < schedule_.steps.size(); ++s)
      for (const int v : schedule_.steps[s].reads)
        if (const int memory = schedule_.alias_of[v]; made_in[memory] != static_cast<int>(s)) kept[memory] = true;
    const std::vector<bool> is_number = host_numbers(program_);
    for (Step& step : schedule_.steps)
      if (step.kind == StepKind::kFusion && !step.loop) make_loop(schedule_, step, kept, is_number);
  }

  Schedule& schedule_;
  spmd::LocalProgram& program_;
  const StepFacts& facts_;
  const Trial& trial_;
  std::vector<int> copy_;   // for each value: its copy, or -1
  std::vector<int> maker_;  // for each value: its instruction
  std::set<int> inside_;    // values that only fusions have, whose fusions are copied
};
}  // namespace

void write_copies(Schedule& schedule, const StepFacts& facts, const Trial& trial) {
  Copier(schedule, facts, trial).run();
}

}  // namespace mtf::schedule
