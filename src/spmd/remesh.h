#pragma once
// Reads a value of one mesh on another mesh with as many processors. Finds the sharding on the second mesh that leaves
// each processor, by its number, the block that it has on the first.
//
// The digits of a processor's number are its coordinates, the last axis fastest, so each axis is a range of digits. A
// list of axes that spans a range is equivalent to a list on another mesh that spans the same range:
//     one = [all: 4]     two = [rows: 2, cols: 2]     b over all  =  b over rows, cols
#include <vector>

#include "types/sharding.h"

namespace mtf::spmd {

struct Remeshed {
  Sharding stays;  ///< on the first mesh: each dim over the first of its axes that the second mesh can express
  Sharding there;  ///< the same blocks on the second mesh
};

/// Returns the shardings of a value with these dims. Neither is partial.
Remeshed remeshed(const Dims& dims, const Sharding& sharding, const Mesh& from, const Mesh& to);

}  // namespace mtf::spmd
