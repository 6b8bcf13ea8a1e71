#include "plan/program_record.h"

#include <algorithm>

#include <fmt/format.h>

namespace mtf::plan {

int32_t ProgramRecord::add(const graph::Capture& capture) {
  graph::RecordedProgram recorded{capture.program, {}, {}, {}};
  for (graph::ProgramInput& input : recorded.program.inputs) {
    input.order.clear();
    recorded.inputs.push_back(layouts_->decision_of(*input.operation));
  }
  for (const graph::Value& leaf : capture.leaves) {
    auto& sources = recorded.copied_by.emplace_back();
    if (!leaf) continue;
    for (const graph::Computed::CopiedBy& by : leaf.node->computed().copied_by)
      if (by.result == leaf.result) sources.emplace_back(by.program, by.place);
  }
  for (const graph::ProgramOperation& entry : recorded.program.operations)
    recorded.operations.push_back(layouts_->decision_of(*entry.operation));
  std::string key = canonical_form(recorded.program);
  for (const std::vector<int32_t>* decisions : {&recorded.operations, &recorded.inputs})
    key.append(reinterpret_cast<const char*>(decisions->data()), decisions->size() * sizeof(int32_t));
  for (bool only : recorded.program.only_history) key.push_back(only ? '1' : '0');
  const int32_t alike = known_alike_.try_emplace(key, static_cast<int32_t>(programs_.size())).first->second;
  for (const auto& sources : recorded.copied_by) {
    key.push_back(',');
    for (const auto& [program, place] : sources) key += fmt::format("{}.{} ", program, place);
  }
  const auto [at, fresh] = known_.try_emplace(std::move(key), static_cast<int32_t>(programs_.size()));
  if (fresh) programs_.push_back({.recorded = std::move(recorded), .alike = alike});
  return last_ = at->second;
}

void ProgramRecord::run(int32_t program, int64_t iterations) {
  programs_[program].times += std::max<int64_t>(iterations, 1);
}

void ProgramRecord::extrapolated(int32_t program, int64_t iterations) { programs_[program].times += iterations; }

std::vector<int64_t> ProgramRecord::times() const {
  std::vector<int64_t> times;
  for (const Entry& entry : programs_) times.push_back(entry.times);
  return times;
}

}  // namespace mtf::plan
