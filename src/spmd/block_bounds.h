#pragma once
// Finds the largest block or message of any processor without a walk over all processors. Along an axis, blocks have
// few different lengths (full, one shorter, empty), and the pattern of overlaps repeats.
#include <vector>

#include "spmd/local_program.h"

namespace mtf::spmd {

/// Returns the number of indices that the busiest sender sends. Every processor along `axes`, which split the dim,
/// gets the interval that `to` describes from the processors that hold it by `from`.
int64_t most_exchanged(const LocalDim& from, const LocalDim& to, const Mesh& mesh, AxisSet axes);

/// Computes most_exchanged by a walk over every processor: for blocks that a second axis splits unevenly.
int64_t most_exchanged_by_walk(const LocalDim& from, const LocalDim& to, const Mesh& mesh, AxisSet axes);

/// Returns the number of indices that the busiest processor gives to others. These are the indices of its interval by
/// `from`, a mapped dim, outside its block by `to`.
int64_t most_given_back(const LocalDim& from, const LocalDim& to, const Mesh& mesh);

/// Returns processors whose blocks of `values` show every combination of lengths that occurs. All values are of one
/// mesh, without mapped dims.
std::vector<Coordinates> different_blocks(const std::vector<const LocalValue*>& values);

/// Returns the number of elements in the block of the processor at `at`.
int64_t elements_at(const LocalValue& value, const Coordinates& at);

}  // namespace mtf::spmd
