// Copies and fills of strided blocks of n dims.
#pragma once

#include <cstdint>
#include <span>

namespace mtf::kernels {

/// Copies the elements of a block of `sizes` from `source` to `target`. The strides are distances in elements between
/// neighbours along every dim. They may be negative; 0 in the source repeats an element. `element_size` is 1, 2, 4 or 8
/// bytes. The blocks must not overlap. Contiguous runs are copied by memcpy, transposes in blocks that fit the cache.
void copy_block(std::span<const std::int64_t> sizes, int element_size, const void* source,
                std::span<const std::int64_t> source_strides, void* target,
                std::span<const std::int64_t> target_strides);

/// Sets every element of a block to the element at `value`.
void fill_block(std::span<const std::int64_t> sizes, int element_size, const void* value, void* target,
                std::span<const std::int64_t> target_strides);

/// The two-dim case: rows × columns, strides in elements.
void copy_matrix(std::int64_t rows, std::int64_t columns, int element_size, const void* source, std::int64_t source_row,
                 std::int64_t source_column, void* target, std::int64_t target_row, std::int64_t target_column);

}  // namespace mtf::kernels
