#include "ops/rows.h"

#include <algorithm>

#include "kernels/kernel_table.h"
#include "kernels/scratch.h"

namespace mtf::ops {
namespace {

/// Joined dims that are adjacent in all arrays: one size, and a stride in each array.
struct RunOfDims {
  int64_t size = 1;
  std::vector<int64_t> strides;
};

/// The dims with `folded` equal to `wanted`, joined if adjacent, in the first array's order with the outermost first.
std::vector<RunOfDims> groups(const std::vector<int64_t>& sizes, const std::vector<bool>& folded, bool wanted,
                              const std::vector<RowArray>& arrays) {
  std::vector<RunOfDims> list;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (folded[d] != wanted || sizes[d] == 1) continue;
    RunOfDims group{sizes[d], {}};
    for (const RowArray& array : arrays) group.strides.push_back(array.strides[d]);
    list.push_back(std::move(group));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const RunOfDims& a, const RunOfDims& b) { return a.strides[0] > b.strides[0]; });
  std::vector<RunOfDims> joined;
  for (RunOfDims& group : list) {
    bool together = !joined.empty();
    for (size_t k = 0; together && k < arrays.size(); ++k)
      together = joined.back().strides[k] == group.strides[k] * group.size;
    if (together) group.size *= joined.back().size, joined.back() = std::move(group);
    else joined.push_back(std::move(group));
  }
  return joined;
}

/// Allocates dense memory with the folded dims innermost, and makes `array` refer to it.
kernels::Scratch rearrange(RowArray& array, const std::vector<int64_t>& sizes, const std::vector<bool>& folded) {
  int64_t count = 1;
  for (bool inner : {true, false})
    for (size_t d = sizes.size(); d-- > 0;) {
      if (folded[d] != inner) continue;
      array.strides[d] = count;
      count *= sizes[d];
    }
  kernels::Scratch memory(count * size_of(array.element));
  array.data = memory.data();
  return memory;
}

void copy(const std::vector<int64_t>& sizes, const RowArray& from, const RowArray& to) {
  kernels::table().copy_block(sizes, static_cast<int>(size_of(from.element)), from.data, from.strides, to.data,
                              to.strides);
}

/// Removes one group from `list` and returns it, or a group of size 1 if there is none.
RunOfDims take(std::vector<RunOfDims>& list, std::vector<RunOfDims>::iterator which, size_t arrays) {
  if (which == list.end()) return {1, std::vector<int64_t>(arrays, 0)};
  RunOfDims group = *which;
  list.erase(which);
  return group;
}

}  // namespace

RowArray rows_read(const kernels::Block& block) {
  RowArray array{block.element, block.data, {}};
  for (const kernels::BlockDim& dim : block.dims) array.strides.push_back(dim.stride);
  return array;
}

RowArray rows_written(const kernels::Block& block) {
  RowArray array = rows_read(block);
  array.written = true;
  return array;
}

RowArray row_results(const kernels::Block& block, std::span<const int> positions) {
  RowArray array{block.element, block.data, {}, true, true};
  for (int64_t position : positions) array.strides.push_back(position < 0 ? 0 : block.dims[position].stride);
  return array;
}

int64_t row_count(const kernels::Block& x, const std::vector<bool>& folded) {
  int64_t rows = 1;
  for (size_t d = 0; d < folded.size(); ++d)
    if (!folded[d]) rows *= x.dims[d].size;
  return rows;
}

void for_each_rows(const kernels::Block& x, const std::vector<bool>& folded, std::vector<RowArray> arrays,
                   const std::function<void(const kernels::Rows&, std::span<const RowPointer>)>& body) {
  std::vector<int64_t> sizes;
  int64_t length = 1;
  for (size_t d = 0; d < folded.size(); ++d) {
    sizes.push_back(x.dims[d].size);
    if (folded[d]) length *= sizes[d];
  }
  if (row_count(x, folded) == 0) return;

  const std::vector<RowArray> originals = arrays;
  std::vector<kernels::Scratch> memory;
  const bool apart = length > 0 && groups(sizes, folded, true, arrays).size() > 1;
  for (size_t k = 0; apart && k < arrays.size(); ++k) {
    if (arrays[k].per_row) continue;
    memory.push_back(rearrange(arrays[k], sizes, folded));
    if (!arrays[k].written) copy(sizes, originals[k], arrays[k]);
  }

  const std::vector<RunOfDims> row = groups(sizes, folded, true, arrays);
  std::vector<RunOfDims> others = groups(sizes, folded, false, arrays);
  const bool contiguous = row.empty() || row[0].strides[0] == 1;

  const auto largest = [&] {
    return std::max_element(others.begin(), others.end(),
                            [](const RunOfDims& a, const RunOfDims& b) { return a.size < b.size; });
  };
  const auto adjacent = [&] {
    return std::find_if(others.begin(), others.end(), [](const RunOfDims& g) { return g.strides[0] == 1; });
  };
  const RunOfDims inner = take(others, contiguous ? largest() : adjacent(), arrays.size());
  const RunOfDims outer = take(others, largest(), arrays.size());
  std::vector<RowPointer> pointers;
  for (size_t k = 0; k < arrays.size(); ++k)
    pointers.push_back({arrays[k].data, outer.strides[k], row.empty() ? 1 : row[0].strides[k], inner.strides[k]});
  std::vector<int64_t> position(others.size(), 0);
  for (;;) {
    body({outer.size, length, inner.size}, pointers);
    size_t g = others.size();
    const auto move = [&](int64_t by) {
      for (size_t k = 0; k < arrays.size(); ++k)
        pointers[k].data =
            static_cast<std::byte*>(pointers[k].data) + by * others[g].strides[k] * size_of(arrays[k].element);
    };
    while (g-- > 0) {
      move(1);
      if (++position[g] < others[g].size) break;
      move(-others[g].size);
      position[g] = 0;
    }
    if (g == static_cast<size_t>(-1)) break;
  }

  for (size_t k = 0; apart && k < arrays.size(); ++k)
    if (arrays[k].written && !arrays[k].per_row) copy(sizes, arrays[k], originals[k]);
}

}  // namespace mtf::ops
