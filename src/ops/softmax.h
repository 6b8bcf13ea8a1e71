#pragma once
// Shared by operations that normalise over some dims.
#include "ops/record.h"

namespace mtf::ops {

/// A row consists of the elements of the dims `over` at one position of the other dims.
struct RowAttributes {
  Names over;
  static constexpr auto members() { return std::array{graph::member<&RowAttributes::over>("over")}; }
};

/// The dims of the first operand that are not in `over`.
Dims rows_of(const graph::Operation& operation);
/// True for each dim of the first operand that is not in `rows`.
std::vector<bool> folded_dims(const graph::Operation& operation, const Dims& rows);

/// The type in which rows are normalised, f32 or f64. bf16 is widened, and the result is rounded once.
ElementType row_element(ElementType element);

/// The dims `over` of the first operand need the expansion if they are sharded. The others are free.
graph::IterationSpace over_space(const graph::Operation& operation);

/// Adds a node of the call's operation on `x`, cast to `element`, over `over:`. Its first result is cast to
/// `result`.
graph::Values build_over(Call& call, ElementType element, ElementType result, std::vector<double> inputs = {});

}  // namespace mtf::ops
