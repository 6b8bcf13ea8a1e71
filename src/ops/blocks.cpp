#include "ops/blocks.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "graph/kernel_call.h"
#include "kernels/kernel_table.h"
#include "support/diagnostics.h"
#include "support/integers.h"

namespace mtf::ops {
namespace {

int64_t modulo(int64_t a, int64_t n) { return ((a % n) + n) % n; }

/// The minimum number of rows that one thread copies, so that a piece moves some 64 KiB.
int64_t grain_of(int64_t total, int64_t rows) {
  return std::max<int64_t>(1, 32768 / std::max<int64_t>(1, total / rows));
}

struct Strided {
  std::vector<int64_t> sizes, from, to;
};

void widen_block(const Strided& box, const Bf16* from, float* to) {
  Walk<2> walk;
  for (size_t d = 0; d < box.sizes.size(); ++d) walk.add(box.sizes[d], {box.from[d], box.to[d]});
  for (int64_t position = 0; position < walk.count(); ++position, walk.next())
    to[walk.offset(1)] = to_float(from[walk.offset(0)]);
}

void copy_strided(kernels::Threads& threads, Strided box, const kernels::Block& from, int64_t from_offset,
                  const kernels::Block& to, int64_t to_offset) {
  int64_t total = 1;
  size_t outer = 0;
  for (size_t d = 0; d < box.sizes.size(); ++d) {
    total *= box.sizes[d];
    if (box.sizes[d] > 1 && (box.sizes[outer] <= 1 || std::abs(box.to[d]) > std::abs(box.to[outer]))) outer = d;
  }
  if (total == 0) return;
  const int64_t from_bytes = size_of(from.element), to_bytes = size_of(to.element);
  auto copy = [&](const Strided& part, int64_t from_first, int64_t to_first) {
    const std::byte* source = from.as<std::byte>() + from_first * from_bytes;
    std::byte* target = to.as<std::byte>() + to_first * to_bytes;
    if (from.element == to.element) {
      kernels::table().copy_block(part.sizes, static_cast<int>(to_bytes), source, part.from, target, part.to);
    } else {
      MTF_CHECK(from.element == ElementType::kBf16 && to.element == ElementType::kF32);
      widen_block(part, reinterpret_cast<const Bf16*>(source), reinterpret_cast<float*>(target));
    }
  };
  if (box.sizes.empty() || threads.size() == 1) return copy(box, from_offset, to_offset);
  const int64_t rows = box.sizes[outer];
  threads.parallel_for(rows, grain_of(total, rows), [&](int64_t begin, int64_t end) {
    Strided part = box;
    part.sizes[outer] = end - begin;
    copy(part, from_offset + begin * box.from[outer], to_offset + begin * box.to[outer]);
  });
}

}  // namespace

std::vector<Run> runs_of(const graph::AccessMap& map, const kernels::BlockDim& result,
                         const kernels::BlockDim& operand) {
  MTF_CHECK(map.window == 1 && map.base_dilation == 1, "a copy of windows of {}, of elements {} apart", map.window,
            map.base_dilation);
  std::vector<Run> runs;
  // Position i of the result's block reads position `start + i * step` of the gathered operand.
  const int64_t step = map.reversed ? -1 : map.stride;
  const int64_t start =
      map.reversed ? map.from - 1 - result.first + map.offset : result.first * map.stride + map.offset;
  if (result.size == 0) return runs;
  if (map.wrap) {
    for (int64_t i = 0; i < result.size;) {
      const int64_t from = modulo(start + i * step - operand.first, map.to);
      MTF_CHECK(from < operand.size, "place {} is not in the block", start + i * step);
      const int64_t to_end = step > 0 ? std::min(operand.size, map.to) - from : from + 1;
      const int64_t count = std::min(result.size - i, std::max<int64_t>(1, step > 0 ? ceil_div(to_end, step) : to_end));
      runs.push_back({.to = i, .from = from, .count = count, .from_step = step});
      i += count;
    }
    return runs;
  }
  // The positions i with 0 <= start + i * step < to.
  int64_t first = 0, last = result.size;
  if (step > 0) {
    if (start < 0) first = ceil_div(-start, step);
    last = std::min(last, start >= map.to ? 0 : ceil_div(map.to - start, step));
  } else {
    if (start >= map.to) first = start - map.to + 1;
    last = std::min(last, start + 1);
  }
  if (first >= last) return runs;
  const int64_t from = start + first * step - operand.first;
  const int64_t from_last = from + (last - first - 1) * step;
  MTF_CHECK(std::min(from, from_last) >= 0 && std::max(from, from_last) < operand.size,
            "places {} to {} are not in a block of {}", from, from_last, operand.size);
  runs.push_back({.to = first, .from = from, .count = last - first, .from_step = step});
  return runs;
}

void copy_box(kernels::Threads& threads, const kernels::Block& from, const kernels::Block& to,
              std::span<const int> dims, std::span<const Run> box, int64_t from_offset) {
  Strided strided;
  int64_t to_offset = 0;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    const int64_t from_stride = dims[d] < 0 ? 0 : from.dims[dims[d]].stride;
    strided.sizes.push_back(box[d].count);
    strided.from.push_back(from_stride * box[d].from_step);
    strided.to.push_back(to.dims[d].stride * box[d].to_step);
    from_offset += from_stride * box[d].from;
    to_offset += to.dims[d].stride * box[d].to;
  }
  copy_strided(threads, std::move(strided), from, from_offset, to, to_offset);
}

void copy_all(kernels::Threads& threads, const kernels::Block& from, const kernels::Block& to,
              std::span<const int> dims, int64_t from_offset) {
  std::vector<Run> box;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    MTF_CHECK(dims[d] < 0 || from.dims[dims[d]].size == to.dims[d].size, "blocks of {} and {}", from.dims[dims[d]].size,
              to.dims[d].size);
    box.push_back({.count = to.dims[d].size});
  }
  copy_box(threads, from, to, dims, box, from_offset);
}

void fill(const kernels::Block& to, double value, int dim, int64_t first, int64_t last) {
  std::vector<int64_t> sizes, strides;
  for (const kernels::BlockDim& d : to.dims) {
    sizes.push_back(d.size);
    strides.push_back(d.stride);
  }
  int64_t offset = 0;
  if (dim >= 0) {
    sizes[dim] = last - first;
    offset = first * strides[dim];
  }
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  by_element(to.element, [&](auto zero) {
    using T = decltype(zero);
    const T element = to_element<T>(value);
    kernels::table().fill_block(sizes, sizeof(T), &element, to.as<T>() + offset, strides);
  });
}

void copy_runs(kernels::Threads& threads, const kernels::Block& from, const kernels::Block& to,
               std::span<const int> dims, int dim, std::span<const Run> runs, double outside) {
  std::vector<Run> box;
  for (const kernels::BlockDim& d : to.dims) box.push_back({.count = d.size});
  int64_t done = 0;
  for (const Run& run : runs) {
    if (run.to_step != 1) {
      fill(to, outside, dim, done, to.dims[dim].size);
      done = to.dims[dim].size;
    } else if (run.to > done) {
      fill(to, outside, dim, done, run.to);
    }
    box[dim] = run;
    copy_box(threads, from, to, dims, box);
    done = std::max(done, run.to + run.count);
  }
  if (done < to.dims[dim].size) fill(to, outside, dim, done, to.dims[dim].size);
}

std::vector<int> in_order(size_t dims) {
  std::vector<int> positions(dims);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

void refuse_sum() {
  throw graph::ElementError{"a sum is outside of i32, which ends at 2147483647", Kind::integer_overflow};
}

}  // namespace mtf::ops
