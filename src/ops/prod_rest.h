#pragma once
// The gradient of a product.
#include "ops/builder.h"

namespace mtf {

/// For each element of x the product of the others along the dims `over` (at least one): the derivative of prod(x). It may
/// be differentiated again, also where elements are 0.
Value prod_rest(Builder& builder, const Value& x, const Dims& over);

}  // namespace mtf
