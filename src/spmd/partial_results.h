#pragma once
// What blocks give of a result before it is complete, as instructions.
#include <string>

#include "spmd/across_blocks.h"
#include "spmd/iteration.h"
#include "spmd/local_builder.h"

namespace mtf::spmd {

/// Sums of bf16 are f32 until they are complete, but where their parts are rounded.
bool sums_unrounded(const Lowering& of);

/// A complete result `r` of an operation in its own element type.
int rounded(LocalBuilder& local, int value, const graph::OperationRef& node, int r);

/// Kinds of reduction that are not sums are not carried: the parts are joined at once, over all axes of a kind
/// together.
int reduce_others(LocalBuilder& local, const Lowering& of, int value, const ReasonRef& reason);

/// A number that is partial over some axes, as one that is partial over `all`: each processor along the others has its
/// share of it. Named as `node` is.
int shared_out(LocalBuilder& local, const graph::OperationRef& node, const std::string& name, int value, AxisSet all);

}  // namespace mtf::spmd
