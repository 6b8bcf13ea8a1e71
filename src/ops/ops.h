#pragma once
// The records of all operations, one for each line of ops.def: what C++ names an operation by (`ops::kRelu`). A script's
// names are found in ops/registry.h.

namespace mtf {

struct Op;

namespace ops {
#define MTF_OP(identifier) extern const Op identifier;
#include "ops/ops.def"
#undef MTF_OP
}  // namespace ops

}  // namespace mtf
