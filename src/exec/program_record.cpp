#include "exec/program_record.h"

#include <cmath>

namespace mtf {

int32_t ProgramRecord::add(const Capture& capture, const std::vector<bool>& only_history) {
  RecordedProgram recorded{capture.program, {}, {}, {}, only_history};
  for (ProgramInput& input : recorded.program.inputs) {
    input.order.clear();
    recorded.inputs.push_back(layouts_->decision_of(*input.operation));
  }
  std::unordered_map<const LaidOutOperation*, int32_t> places;
  for (const ProgramOperation& entry : recorded.program.operations) {
    const LaidOutOperation& operation = *entry.operation;
    places.emplace(&operation, static_cast<int32_t>(places.size()));
    recorded.operations.push_back(layouts_->decision_of(operation));
    const auto like = places.find(operation.why.like.get());
    recorded.likes.push_back(like == places.end() ? -1 : like->second);
  }
  std::string key = canonical_form(recorded.program);
  for (const std::vector<int32_t>* decisions : {&recorded.operations, &recorded.inputs})
    key.append(reinterpret_cast<const char*>(decisions->data()), decisions->size() * sizeof(int32_t));
  for (bool only : only_history) key.push_back(only ? '1' : '0');
  const auto [at, fresh] = known_.try_emplace(std::move(key), static_cast<int32_t>(programs_.size()));
  if (fresh) programs_.push_back({std::move(recorded)});
  return last_ = at->second;
}

void ProgramRecord::run_last(int64_t turns) {
  if (turns == 0) programs_[last_].is_estimate = true;
  if (turns == 0 && !counted_.insert(last_).second) return;
  programs_[last_].times += turns == 0 ? 1 : turns;
}

std::vector<int64_t> ProgramRecord::times() const {
  std::vector<int64_t> times;
  for (const Entry& entry : programs_) times.push_back(entry.times);
  return times;
}

void ProgramRecord::extrapolate(const std::vector<int64_t>& before, int64_t done, int64_t count) {
  for (size_t i = 0; i < programs_.size(); ++i) {
    const int64_t added = programs_[i].times - (i < before.size() ? before[i] : 0);
    if (added == 0) continue;
    programs_[i].times += std::llround(static_cast<double>(added) * static_cast<double>(count - done) / static_cast<double>(done));
    programs_[i].is_estimate = true;
  }
}

}  // namespace mtf
