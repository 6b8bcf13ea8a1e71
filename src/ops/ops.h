#pragma once
// The records of all operations, one for each line of ops.def: what C++ names an operation by (`kRelu`). A script's
// names are found in ops/registry.h.

namespace mtf::graph {
struct Op;
}

namespace mtf::ops {

#define MTF_OP(identifier) extern const graph::Op identifier;
#include "ops/ops.def"
#undef MTF_OP

}  // namespace mtf::ops
