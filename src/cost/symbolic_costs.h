#pragma once
// The cost of each program of a planned script on the largest processor, as formulas in the script's dim and axis
// names.
//
// The formulas follow from the program: the iteration space of each operation, the axes that split its dims, and the
// values that each collective counts. Their values equal the numbers of a plan.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cost/formula.h"
#include "plan/program_record.h"
#include "spmd/collective_kind.h"

namespace mtf::cost {

struct SymbolicCost {
  Formula flops;
  std::map<std::pair<spmd::CollectiveKind, std::vector<Name>>, Formula>
      values;        ///< counted values of collectives, by kind and axes
  Formula elements;  ///< of all blocks that the program reads or makes
  void add(const SymbolicCost& other, int64_t times);
  Formula communication() const;
  SymbolicCost with_symbols_of(const Formula& other) const;
};

/// Returns the cost of one run of each program of the record, under the script's own layouts.
std::vector<SymbolicCost> symbolic_costs(const plan::ProgramRecord& record);

}  // namespace mtf::cost
