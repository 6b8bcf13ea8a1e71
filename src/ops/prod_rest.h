#pragma once
// The gradient of a product.
#include "ops/builder.h"

namespace mtf::ops {

/// For each element of x, the product of the other elements along the dims `over` (at least one): the derivative of
/// prod(x). It can be differentiated again, also where elements are 0.
graph::Value prod_rest(Builder& builder, const graph::Value& x, const Dims& over);

}  // namespace mtf::ops
