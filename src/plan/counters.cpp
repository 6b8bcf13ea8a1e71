#include "plan/counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"
#include "types/mesh.h"
#include "types/saturating.h"

namespace mtf::plan {

CollectiveCount& CollectiveCount::operator+=(const CollectiveCount& other) {
  count = saturating_add(count, other.count);
  calls = saturating_add(calls, other.calls);
  values = saturating_add(values, other.values);
  bytes = saturating_add(bytes, other.bytes);
  wire_bytes = saturating_add(wire_bytes, other.wire_bytes);
  return *this;
}

CollectiveCount& CollectiveCount::operator-=(const CollectiveCount& other) {
  const auto subtract = [](int64_t& from, int64_t figure) {
    if (from != kMost) from -= figure;
  };
  subtract(count, other.count);
  subtract(calls, other.calls);
  subtract(values, other.values);
  subtract(bytes, other.bytes);
  subtract(wire_bytes, other.wire_bytes);
  return *this;
}

CollectiveCount Counters::total(spmd::CollectiveKind kind) const {
  CollectiveCount total;
  for (const auto& [axes, count] : collectives[static_cast<int>(kind)]) total += count;
  return total;
}

CollectiveCount Counters::over(spmd::CollectiveKind kind, std::vector<Name> axes) const {
  std::sort(axes.begin(), axes.end());
  CollectiveCount result;
  for (const auto& [there, count] : collectives[static_cast<int>(kind)]) {
    std::vector<Name> sorted = there;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == axes) result += count;
  }
  return result;
}

double duplication(const Counters& counters) {
  if (counters.unique_flops == 0) return 1;
  return static_cast<double>(counters.flops) * static_cast<double>(counters.processors) /
         static_cast<double>(counters.unique_flops);
}

void add_times(Counters& a, const Counters& b, int64_t times) {
  const auto add = [&](int64_t& sum, int64_t figure) {
    sum = saturating_add(sum, mtf::saturating_multiply(times, figure));
  };
  add(a.flops, b.flops);
  add(a.unique_flops, b.unique_flops);
  a.processors = std::max(a.processors, b.processors);
  a.peak_bytes = std::max(a.peak_bytes, b.peak_bytes);
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind) {
    for (const auto& [axes, count] : b.collectives[kind]) {
      CollectiveCount& sum = a.collectives[kind][axes];
      add(sum.count, count.count);
      add(sum.calls, count.calls);
      add(sum.values, count.values);
      add(sum.bytes, count.bytes);
      add(sum.wire_bytes, count.wire_bytes);
    }
  }
}

Counters difference(const Counters& a, const Counters& b) {
  Counters result = a;
  if (result.flops != kMost) result.flops -= b.flops;
  if (result.unique_flops != kMost) result.unique_flops -= b.unique_flops;
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind) {
    for (const auto& [axes, count] : b.collectives[kind]) result.collectives[kind][axes] -= count;
    std::erase_if(result.collectives[kind], [](const auto& entry) { return entry.second == CollectiveCount{}; });
  }
  return result;
}

std::string to_string(const Counters& counters) {
  std::string text = fmt::format("flops: {}\nunique_flops: {}\npeak_bytes: {}\n", mtf::thousands(counters.flops),
                                 mtf::thousands(counters.unique_flops), mtf::thousands(counters.peak_bytes));
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
    for (const auto& [axes, count] : counters.collectives[kind])
      text += fmt::format("{} over {}: {} in {}, {}, {}, {} on the wire\n",
                          name(static_cast<spmd::CollectiveKind>(kind)), axes_text(axes), mtf::thousands(count.count),
                          count_text(count.calls, "call"), count_text(count.values, "value"),
                          mtf::bytes_text(count.bytes), mtf::bytes_text(count.wire_bytes));
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace mtf::plan
