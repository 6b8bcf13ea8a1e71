#pragma once
// The largest of all processors' blocks and messages, without looking at all processors: along an axis blocks are of
// few different lengths (the full ones, one that is shorter, empty ones), and what overlaps what repeats.
#include <vector>

#include "spmd/local_program.h"

namespace mtf::spmd {

/// Indices that the processor that sends most sends, when every processor along `axes`, which split the dim, gets the
/// interval that `to` says from those that hold it as `from` says.
int64_t most_exchanged(const LocalDim& from, const LocalDim& to, const Mesh& mesh, AxisSet axes);

/// The same, by looking at every processor: for blocks that one axis after another splits unevenly.
int64_t most_exchanged_by_walk(const LocalDim& from, const LocalDim& to, const Mesh& mesh, AxisSet axes);

/// Indices that the processor that gives back most gives to others: of the interval that `from`, a mapped dim, says it
/// has, those that are not in its block as `to` says.
int64_t most_given_back(const LocalDim& from, const LocalDim& to, const Mesh& mesh);

/// Processors among whose blocks of these values (of one mesh, without mapped dims) each combination of lengths that
/// there is occurs.
std::vector<Coordinates> different_blocks(const std::vector<const LocalValue*>& values);

/// Elements of the block of the processor at `at`.
int64_t elements_at(const LocalValue& value, const Coordinates& at);

}  // namespace mtf::spmd
