#pragma once
// What each program of a planned script costs the largest processor, as formulas in the script's dim and axis names.
//
// They come from the program itself: the iteration space of each operation, the axes that split its dims, the values
// that each collective is counted by. Their values are the numbers that a plan says.
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
      values;        ///< that collectives are counted by, by kind and axes
  Formula elements;  ///< of all blocks that it reads or makes
  void add(const SymbolicCost& other, int64_t times);
  Formula communication() const;
  SymbolicCost with_symbols_of(const Formula& other) const;
};

/// Of each program of the record, run once, as the script lays it out.
std::vector<SymbolicCost> symbolic_costs(const plan::ProgramRecord& record);

}  // namespace mtf::cost
