#pragma once
// Counts of computation and communication.
//
// Figures are per processor: those of the largest one. The planner fills this structure from costs. The executor fills
// it from the sizes, groups and loop bounds that kernels and collectives get. Both must agree. A figure that does not
// fit in 63 bits is kMost (types/saturating.h), and is printed as `at least 9,223,372,036,854,775,806`.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "spmd/collective_kind.h"
#include "support/name.h"

namespace mtf::plan {

struct CollectiveCount {
  int64_t count = 0;  ///< before small collectives are merged and large ones cut
  int64_t calls = 0;  ///< collectives of the schedule, after merging and cutting
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
  /// For each kind: the counts by the axes of the group, in the order of the mesh.
  std::map<std::vector<Name>, CollectiveCount> collectives[spmd::kCollectiveKinds];
  CollectiveCount total(spmd::CollectiveKind kind) const;
  /// Returns the counts of collectives over exactly these axes, in any order.
  CollectiveCount over(spmd::CollectiveKind kind, std::vector<Name> axes) const;
  bool operator==(const Counters&) const = default;
};

/// Adds `b` to `a`, `times` times. The peak is the larger of both peaks.
void add_times(Counters& a, const Counters& b, int64_t times);

/// Returns the work of all processors divided by the work of one processor alone.
double duplication(const Counters& counters);

/// Returns `a` minus `b`. peak_bytes and processors are those of `a`.
Counters difference(const Counters& a, const Counters& b);

/// Formats the counters as `print(c)` shows them: one figure a line.
std::string to_string(const Counters& counters);

}  // namespace mtf::plan
