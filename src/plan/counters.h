#pragma once
// What was computed and communicated.
//
// Figures are per processor: those of the largest one. The planner fills the same structure from costs, the executor
// from the sizes, groups and loop bounds that kernels and collectives really get; both must agree. A figure that does
// not fit in 63 bits is kMost (types/saturating.h), and is printed as `at least 9,223,372,036,854,775,806`.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "spmd/collective_kind.h"
#include "support/name.h"

namespace mtf::plan {

struct CollectiveCount {
  int64_t count = 0;  ///< collectives before small ones are merged or large ones cut
  int64_t calls = 0;  ///< those of the schedule
  int64_t values = 0;
  int64_t bytes = 0;
  int64_t wire_bytes = 0;
  CollectiveCount& operator+=(const CollectiveCount& other);
  CollectiveCount& operator-=(const CollectiveCount& other);
  bool operator==(const CollectiveCount&) const = default;
};

struct Counters {
  int64_t flops = 0;
  int64_t unique_flops = 0;
  int64_t processors = 1;
  int64_t peak_bytes = 0;
  /// For each kind, by the axes of the group in their mesh's order.
  std::map<std::vector<Name>, CollectiveCount> collectives[spmd::kCollectiveKinds];
  CollectiveCount total(spmd::CollectiveKind kind) const;
  /// Those whose group is exactly these axes (any order).
  CollectiveCount over(spmd::CollectiveKind kind, std::vector<Name> axes) const;
  bool operator==(const Counters&) const = default;
};

/// Adds `b`, `times` over; the peak is the larger one.
void add_times(Counters& a, const Counters& b, int64_t times);

/// How often work is done that one processor alone would do once.
double duplication(const Counters& counters);

/// `a` minus `b`, except peak_bytes and processors, which are a's.
Counters difference(const Counters& a, const Counters& b);

/// As `print(c)` shows it, a line a figure.
std::string to_string(const Counters& counters);

}  // namespace mtf::plan
