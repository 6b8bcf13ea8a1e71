#pragma once
// Operations that read across the blocks of a split dim, as instructions: what a block needs of its neighbours is
// fetched, or sent round, between computing.
#include <vector>

#include "spmd/iteration.h"
#include "spmd/local_builder.h"

namespace mtf::spmd {

/// The operation that is being lowered: its space, how it is split, its name, which captured operation it is.
struct Lowering {
  const graph::OperationRef& node;
  const graph::IterationSpace& space;
  const IterationSplit& split;
  const std::string& name;
  int32_t origin = -1;
};

/// The operand with, of its dim `dim`, the part that the result's block needs along `axes`, from the processors that
/// have it.
int fetch(LocalBuilder& local, const Lowering& of, int operand, int dim, const graph::AccessMap& map,
          const AxisList& axes);

/// A result of which each processor along `axes` has an interval of its dim `dim` that overlaps others', with all parts
/// of each place added up where its block is.
int add_back(LocalBuilder& local, const Lowering& of, int result, int dim, const AxisList& axes);

/// True if the blocks of a reshape's group over `axes` are the same places of both sides.
bool blocks_coincide(const graph::LaidOutOperation& node, const graph::IterationDim& dim, const AxisList& axes);

/// A reshape whose blocks do not coincide: the dims of each such group become one, intervals of it are exchanged, and
/// it becomes the result's dims.
void reshape_by_intervals(LocalBuilder& local, const Lowering& of, int operand, int result);

/// A running sum over a split dim (ops/scan.h); its result.
int scan(LocalBuilder& local, const Lowering& of, int operand);

}  // namespace mtf::spmd
