#pragma once
// Values whose blocks fit each other's memory (internal to schedule).
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "spmd/local_program.h"

namespace mtf::schedule {

/// On each processor both have as many bytes, in blocks of the same extents as they are stored.
bool same_memory(const spmd::LocalValue& a, const spmd::LocalValue& b);

/// Numbers the kinds of memory of a program's values: those for which same_memory() holds have the same number.
class MemoryKinds {
 public:
  explicit MemoryKinds(const spmd::LocalProgram& program) : program_(program) {}
  /// From 0, in the order in which they are first asked for.
  int of(int value);

 private:
  const spmd::LocalProgram& program_;
  std::unordered_map<uint64_t, std::vector<int>> by_hash_;  // kinds
  std::vector<int> one_of_;                                 // for each kind, a value
};

}  // namespace mtf::schedule
