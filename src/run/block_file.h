#pragma once
// Between files that hold whole tensors, row-major, and the blocks of this rank: each rank writes what it is the first
// to hold, and reads what it needs.
//
//   [a=4, b=6] split 2 x 2:      the file, row by row   0 0 0 1 1 1   processor 0 writes two runs of 3, 12 bytes apart
//                                                       0 0 0 1 1 1   each, and so do the others
//                                                       2 2 2 3 3 3
//                                                       2 2 2 3 3 3
#include <cstdint>
#include <memory>

#include "io/positioned_file.h"
#include "plan/runtime.h"
#include "run/bound_plan.h"

namespace mtf::run {

/// Writes the blocks of a tensor that this rank holds, and no rank before it, where the whole tensor lies from `place`
/// on; gives what they add to its checksum (io/element_sum.h). Throws IoError.
uint64_t write_blocks(Machine& machine, const plan::Tensor& tensor, const io::PositionedFile& file, uint64_t place);

/// This rank's blocks of a tensor that lies in a file from `place` on, and what those that it is the first to hold add
/// to the checksum. Throws IoError.
plan::Runtime::Loaded read_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh,
                                  const Sharding& sharding, const io::PositionedFile& file, uint64_t place);

/// The same of a whole tensor, on a rank that has it.
uint64_t write_whole(const plan::HostTensor& tensor, const io::PositionedFile& file, uint64_t place);
plan::HostTensor read_whole(const TensorType& type, const io::PositionedFile& file, uint64_t place, uint64_t& sum);

}  // namespace mtf::run
