#pragma once
// One value on two meshes of as many processors: which sharding on the second gives each processor, by its number, the
// block that it has on the first.
//
// A processor's number is its coordinates as digits, the last axis fastest, so an axis is a range of digits. A list of
// axes that spans a range says the same on a mesh whose axes span that range too:
//     one = [all: 4]     two = [rows: 2, cols: 2]     b over all  =  b over rows, cols
#include <vector>

#include "types/sharding.h"

namespace mtf::spmd {

struct Remeshed {
  Sharding stays;  ///< on the first mesh: each dim over the first of its axes that the second can name
  Sharding there;  ///< the same blocks on the second mesh
};

/// Of a value with these dims; it is not partial in either.
Remeshed remeshed(const Dims& dims, const Sharding& sharding, const Mesh& from, const Mesh& to);

}  // namespace mtf::spmd
