#pragma once
// What operations that fold dims share.
#include "ops/record.h"

namespace mtf::ops {

/// The dims of the operand that the result has, in the result's order; the others are folded.
struct ReduceAttributes {
  Names kept;
  static constexpr auto members() { return std::array{graph::member<&ReduceAttributes::kept>("->")}; }
};
/// One result with the kept dims, of the operand's element type.
std::vector<TensorType> infer_folded(const graph::Operation& operation);

/// The dims of the result of a call with `over: dims = all -> shape?`: what the arrow says, the dims of `argument` that
/// are not in `over`, or none. An arrow beside `over:`, and a dim that the tensor lacks, are errors.
Dims kept_dims(const Call& call, std::string_view argument);

}  // namespace mtf::ops
