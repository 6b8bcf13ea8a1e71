#pragma once
// Declares the records of all operations, one for each line of ops.def, under the names that C++ uses (`kRelu`).
// ops/registry.h finds an operation by its name in scripts.

namespace mtf::graph {
struct Op;
}

namespace mtf::ops {

#define MTF_OP(identifier) extern const graph::Op identifier;
#include "ops/ops.def"
#undef MTF_OP

}  // namespace mtf::ops
