#pragma once
// What operations that normalise over some dims share.
//
// Their attributes: dims, the dims that are folded; ints, for each dim of the operand 1 if it is folded.
#include "ops/record.h"

namespace mtf {

/// Attributes as above, for `over` of `x`.
Attributes over_attributes(const Value& x, const Dims& over);
std::vector<bool> folded_dims(const Attributes& attributes);

/// f32 or f64: the type in which rows are normalised. bf16 is widened, and its result rounded once.
ElementType row_element(ElementType element);

/// The dims of `over` of the first operand need the expansion where they are split, the others are free.
IterationSpace over_space(const Operation& operation);

/// One node of the call's operation on `x`, over `over:`, in row_element; its first result as `result`.
Values build_over(Call& call, ElementType result, std::vector<double> inputs = {});

}  // namespace mtf
