#pragma once
// Lowers operations that read across the blocks of a split dim. They fetch or exchange parts of neighbouring blocks
// between their computations.
#include <vector>

#include "spmd/iteration_split.h"
#include "spmd/local_builder.h"

namespace mtf::spmd {

/// The operation that is being lowered: its iteration space, its split, its name, and its index in the captured
/// program.
struct Lowering {
  const graph::OperationRef& node;
  const graph::IterationSpace& space;
  const IterationSplit& split;
  const std::string& name;
  int32_t origin = -1;
};

/// Fetches the interval of dim `dim` that the result's block needs by `map`, from the processors along `axes` that
/// hold it. Returns the operand with this interval.
int fetch(LocalBuilder& local, const Lowering& of, int operand, int dim, const graph::AccessMap& map,
          const AxisList& axes);

/// Adds overlapping intervals back to their blocks: each processor along `axes` has an interval of dim `dim` of
/// `result`. Each block gets the sum of all intervals that overlap it.
int add_back(LocalBuilder& local, const Lowering& of, int result, int dim, const AxisList& axes);

/// True if, in a reshape's group of dims split over `axes`, the blocks hold the same elements on both sides.
bool blocks_coincide(const graph::LaidOutOperation& node, const graph::IterationDim& dim, const AxisList& axes);

/// Lowers a reshape whose blocks do not coincide. Flattens each split group into one dim, exchanges intervals of this
/// dim, and gives the result its own dims.
void reshape_by_intervals(LocalBuilder& local, const Lowering& of, int operand, int result);

/// Lowers a running sum over a split dim (ops/scan.h) and returns its result.
int scan(LocalBuilder& local, const Lowering& of, int operand);

}  // namespace mtf::spmd
