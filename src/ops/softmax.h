#pragma once
// What operations that normalise over some dims share.
#include "ops/record.h"

namespace mtf::ops {

/// The elements of the dims `over` at one place of the others are a row.
struct RowAttributes {
  Names over;
  static constexpr auto members() { return std::array{graph::member<&RowAttributes::over>("over")}; }
};

/// The first operand's dims that are not along a row.
Dims rows_of(const graph::Operation& operation);
/// For each dim of the first operand whether `rows` lack it.
std::vector<bool> folded_dims(const graph::Operation& operation, const Dims& rows);

/// f32 or f64: the type in which rows are normalised. bf16 is widened, and its result rounded once.
ElementType row_element(ElementType element);

/// The dims of `over` of the first operand need the expansion where they are split, the others are free.
graph::IterationSpace over_space(const graph::Operation& operation);

/// One node of the call's operation on `x`, over `over:`, in row_element; its first result as `result`.
graph::Values build_over(Call& call, ElementType result, std::vector<double> inputs = {});

}  // namespace mtf::ops
