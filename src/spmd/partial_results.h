#pragma once
// Adds the instructions that complete partial results.
#include <string>

#include "spmd/across_blocks.h"
#include "spmd/iteration_split.h"
#include "spmd/local_builder.h"

namespace mtf::spmd {

/// True if sums of bf16 stay f32 until they are complete. Some dims round their parts instead.
bool sums_unrounded(const Lowering& of);

/// Returns complete result `r` of an operation, cast to its declared element type.
int rounded(LocalBuilder& local, int value, const graph::OperationRef& node, int r);

/// Reduces the parts of every reduction that is not a sum at once, with one all_reduce for each kind. Only sums may
/// stay partial.
int reduce_others(LocalBuilder& local, const Lowering& of, int value, const ReasonRef& reason);

/// Returns a number that is partial over some axes as a number that is partial over `all`. Divides it among the
/// processors along the additional axes. The result takes its type from `node`.
int shared_out(LocalBuilder& local, const graph::OperationRef& node, const std::string& name, int value, AxisSet all);

}  // namespace mtf::spmd
