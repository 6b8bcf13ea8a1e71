#pragma once
// Shared by operations that fold dims.
#include "ops/record.h"

namespace mtf::ops {

/// The operand's dims that the result keeps, in the result's order. The others are folded.
struct ReduceAttributes {
  Names kept;
  static constexpr auto members() { return std::array{graph::member<&ReduceAttributes::kept>("->")}; }
};
/// One result with the kept dims, of the operand's element type.
std::vector<TensorType> infer_folded(const graph::Operation& operation);

/// The dims of the result of a call with `over: dims = all -> shape?`: the arrow's dims, or the dims of `argument` that
/// are not in `over`, or none. An arrow beside `over:`, and a dim that the tensor lacks, are errors.
Dims kept_dims(const Call& call, std::string_view argument);

}  // namespace mtf::ops
