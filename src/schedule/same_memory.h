#pragma once
// Values whose blocks fit each other's memory (internal to schedule).
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "spmd/local_program.h"

namespace mtf::schedule {

/// True if both values have blocks of the same extents in storage order and equally large elements, on each processor.
bool same_memory(const spmd::LocalValue& a, const spmd::LocalValue& b);

/// Numbers the kinds of memory of a program's values: values for which same_memory() is true have the same number.
class MemoryKinds {
 public:
  explicit MemoryKinds(const spmd::LocalProgram& program) : program_(program) {}
  /// Returns the number of a value's kind. Numbers start from 0, in the order of the first requests.
  int of(int value);

 private:
  const spmd::LocalProgram& program_;
  std::unordered_map<uint64_t, std::vector<int>> by_hash_;  // kinds
  std::vector<int> one_of_;                                 // for each kind, one value
};

}  // namespace mtf::schedule
