#pragma once
// Copies between a file that holds whole tensors, row-major, and the blocks of this rank. Each rank reads its blocks.
// It writes the blocks that no lower rank hosts.
//
//   [a=4, b=6] split 2 x 2:      the file, row by row   0 0 0 1 1 1   processor 0 writes two runs of 3, 12 bytes apart
//                                                       0 0 0 1 1 1   each, and so do the others
//                                                       2 2 2 3 3 3
//                                                       2 2 2 3 3 3
#include <cstdint>
#include <memory>

#include "io/positioned_file.h"
#include "plan/runtime.h"
#include "run/machine.h"

namespace mtf::run {

/// Writes the blocks of a tensor that this rank hosts and no lower rank hosts. The whole tensor begins at byte
/// `offset`. Returns the share of these blocks in the tensor's checksum (io/element_sum.h). Throws IoError.
uint64_t write_blocks(Machine& machine, const plan::Tensor& tensor, const io::PositionedFile& file, uint64_t offset);

/// Reads this rank's blocks of a tensor that begins at byte `offset` of the file. Also returns the share in the
/// checksum of the blocks that no lower rank hosts. Throws IoError.
plan::Runtime::Loaded read_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh,
                                  const Sharding& sharding, const io::PositionedFile& file, uint64_t offset);

/// Write and read a whole tensor, on a rank that has all of it.
uint64_t write_whole(const plan::HostTensor& tensor, const io::PositionedFile& file, uint64_t offset);
plan::HostTensor read_whole(const TensorType& type, const io::PositionedFile& file, uint64_t offset, uint64_t& sum);

}  // namespace mtf::run
