#pragma once
// What operations that fold dims share.
#include "ops/record.h"

namespace mtf {

/// The dims of the result of a call with `over: dims = all -> shape?`: what the arrow says, the dims of `argument` that
/// are not in `over`, or none. An arrow beside `over:`, and a dim that the tensor lacks, are errors.
Dims kept_dims(const Call& call, std::string_view argument);

}  // namespace mtf
