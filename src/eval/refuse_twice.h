#pragma once
// A dim that stands twice in one shape.
#include "support/source.h"
#include "types/dim.h"

namespace mtf {

/// Fails (dim_twice) for the first dim that stands twice; the help says how to write a shape with two dims of one size.
void refuse_twice(const Dims& dims, Span span);

}  // namespace mtf
