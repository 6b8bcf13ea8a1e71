#include <numeric>

#include "schedule/passes.h"
#include "schedule/repeat_choice.h"
#include "schedule/repeat_copies.h"
#include "schedule/repeat_facts.h"
#include "support/diagnostics.h"

namespace mtf::schedule {

void rematerialize(Schedule& schedule, int64_t limit) {
  StepFacts facts(schedule);
  const std::vector<char> repeated = choose_repeated(facts, limit);
  const Trial trial(facts, repeated);
  if (!trial.copies().empty()) write_copies(schedule, facts, trial);
}

void verify_remade(const Schedule& schedule) {
  const spmd::LocalProgram& program = schedule.program;
  std::vector<int> original(program.values.size()), maker(program.values.size(), -1);
  std::iota(original.begin(), original.end(), 0);
  for (const auto& [copy, value] : schedule.remade) original[copy] = value;
  for (size_t i = 0; i < program.instructions.size(); ++i)
    for (const int v : program.instructions[i].results) maker[v] = static_cast<int>(i);
  for (const auto& [copy, value] : schedule.remade) {
    const spmd::Instruction &again = program.instructions[maker[copy]], &first = program.instructions[maker[value]];
    bool is_same = again.kind == first.kind && again.node == first.node && again.origin == first.origin &&
                   again.axes == first.axes && again.operands.size() == first.operands.size();
    for (size_t k = 0; is_same && k < again.operands.size(); ++k)
      is_same = original[again.operands[k]] == original[first.operands[k]];
    MTF_CHECK(is_same, "{} is made again in another way", program.values[value].name);
  }
}

}  // namespace mtf::schedule
