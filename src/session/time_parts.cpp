#include "session/time_parts.h"

#include <algorithm>

#include "support/text.h"
#include "types/mesh.h"

namespace mtf::session {

void TimeParts::add(const eval::StatementReport& report) {
  for (const spmd::StatementCost& cost : report.costs) {
    const auto times = static_cast<double>(cost.times) * static_cast<double>(std::max<int64_t>(report.iterations, 1));
    const double seconds = (cost.seconds - cost.idle) * times;
    idle += cost.idle * times;
    if (cost.collective) {
      collectives[fmt::format("{} over {}", name(*cost.collective), axes_text(cost.axes))] += seconds;
      continue;
    }
    const Span source = spmd::source_of(cost);
    const bool is_step = source.is_known() && source.file->name().ends_with("/optim.mtf");
    if (cost.work != spmd::WorkKind::kOther) flops[cost.element] += static_cast<double>(cost.flops) * times;
    (cost.work == spmd::WorkKind::kProduct     ? products
     : cost.work == spmd::WorkKind::kAttention ? attention
     : is_step                                 ? optimizer
                                               : other) += seconds;
  }
}

double TimeParts::total() const {
  double sum = 0;
  for (const auto& [what, seconds] : named()) sum += seconds;
  return sum;
}

double TimeParts::flops_per_second() const {
  double sum = 0;
  for (const auto& [element, count] : flops) sum += count;
  return sum > 0 ? sum / total() : 0;
}

double TimeParts::share_of_peak(const cost::MachineModel& machine) const {
  double seconds = 0;
  for (const auto& [element, count] : flops) seconds += count / machine.peak_of(element);
  return seconds > 0 ? seconds / total() : 0;
}

std::vector<std::pair<std::string, double>> TimeParts::named() const {
  std::vector<std::pair<std::string, double>> parts = {
      {"products", products}, {"attention", attention}, {"optimizer", optimizer}, {"other kernels", other}};
  parts.insert(parts.end(), collectives.begin(), collectives.end());
  parts.emplace_back("waiting for other stages", idle);
  std::erase_if(parts, [](const auto& part) { return part.second <= 0; });
  return parts;
}

}  // namespace mtf::session
