#include "kernels/copy.h"

// g++ 12 warns of its own AVX-512 intrinsics (PR 105593), and of vectors as template arguments.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wignored-attributes"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "kernels/transpose.h"
#include "support/integers.h"

namespace mtf::kernels {
namespace {

template <class T>
void copy_run(std::int64_t n, const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
  if (from_stride == 1 && to_stride == 1) {
    if (n < 16) {
      for (std::int64_t k = 0; k < n; ++k) to[k] = from[k];
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
    }
  } else if (to_stride == 1 && from_stride == 0) {
    std::fill_n(to, n, *from);
  } else {
    for (std::int64_t k = 0; k < n; ++k) to[k * to_stride] = from[k * from_stride];
  }
}

constexpr std::int64_t kShortRow = 64;  // elements: a call for each longer row costs little
constexpr std::int64_t kBlock = 16;
constexpr std::int64_t kBlocksAhead = 2;  // prefetched: the hardware does not predict lines that are so far apart

template <class Packet, class Number>
Packet load_some(const Number* from, std::int64_t n) {
#ifdef __AVX512F__
  if constexpr (sizeof(Number) == 4) return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1), from);
  else return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << n) - 1), from);
#else
  Packet packet = Eigen::internal::pset1<Packet>(Number(0));
  std::memcpy(&packet, from, static_cast<std::size_t>(n) * sizeof(Number));
  return packet;
#endif
}
template <class Packet, class Number>
void store_some(Number* to, const Packet& packet, std::int64_t n) {
#ifdef __AVX512F__
  if constexpr (sizeof(Number) == 4) _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << n) - 1), packet);
  else _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << n) - 1), packet);
#else
  std::memcpy(to, &packet, static_cast<std::size_t>(n) * sizeof(Number));
#endif
}

/// to[r][c] = from[c][r] for a block of up to 16 × 16, in registers if the element has a packet.
template <class T>
void transpose_block(std::int64_t rows, std::int64_t columns, const T* from, std::int64_t from_column, T* to,
                     std::int64_t to_row) {
  using Number = std::conditional_t<sizeof(T) == 4, float, double>;
  using Packet = typename Eigen::internal::packet_traits<Number>::type;
  constexpr std::int64_t kLanes = sizeof(Packet) / sizeof(Number);
  if constexpr (sizeof(T) == sizeof(Number)) {
    for (std::int64_t c = 0; c < columns; ++c) __builtin_prefetch(from + kBlocksAhead * kBlock + c * from_column);
    for (std::int64_t r = 0; r < rows; ++r) __builtin_prefetch(to + kBlocksAhead * kBlock + r * to_row, 1);
    for (std::int64_t r = 0; r < rows; r += kLanes) {
      const std::int64_t wide = std::min(kLanes, rows - r);
      for (std::int64_t c = 0; c < columns; c += kLanes) {
        const std::int64_t high = std::min(kLanes, columns - c);
        Packet packets[kLanes];
        if (wide == kLanes && high == kLanes) {
          for (std::int64_t k = 0; k < kLanes; ++k)
            std::memcpy(&packets[k], from + r + (c + k) * from_column, sizeof(Packet));
        } else {
          const auto* const first = reinterpret_cast<const Number*>(from + r + c * from_column);
          for (std::int64_t k = 0; k < kLanes; ++k)
            packets[k] = load_some<Packet>(first + std::min(k, high - 1) * from_column, wide);
        }
        transpose(packets);
        if (wide == kLanes && high == kLanes) {
          for (std::int64_t k = 0; k < kLanes; ++k) std::memcpy(to + (r + k) * to_row + c, &packets[k], sizeof(Packet));
        } else {
          for (std::int64_t k = 0; k < kLanes; ++k)
            if (k < wide) store_some(reinterpret_cast<Number*>(to + (r + k) * to_row + c), packets[k], high);
        }
      }
    }
  } else {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) to[r * to_row + c] = from[r + c * from_column];
    }
  }
}

/// Writes one short row `rows` times, by copying the rows written so far.
template <class T>
void repeat_row(std::int64_t rows, std::int64_t columns, const T* from, T* to) {
  std::copy_n(from, columns, to);
  const std::int64_t all = rows * columns;
  for (std::int64_t done = columns; done < all; done *= 2)
    std::memcpy(to + done, to, static_cast<std::size_t>(std::min(done, all - done)) * sizeof(T));
}

/// Writes each element of a column `columns` times. Whole packets are written, and the next row overwrites the excess.
/// The last rows are written exactly.
template <class T>
void repeat_elements(std::int64_t rows, std::int64_t columns, const T* from, std::int64_t stride, T* to) {
  constexpr std::int64_t kBytes = 16, kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t written = round_up(columns, kLanes);
  const std::int64_t whole = std::max<std::int64_t>(0, rows - ceil_div(written, columns));
  for (std::int64_t r = 0; r < whole; ++r, to += columns) {
    typedef T Packet __attribute__((vector_size(kBytes)));
    const Packet packet = from[r * stride] - Packet{};
    for (std::int64_t c = 0; c < written; c += kLanes) std::memcpy(to + c, &packet, kBytes);
  }
  for (std::int64_t r = whole; r < rows; ++r, to += columns) std::fill_n(to, columns, from[r * stride]);
}

template <class T>
void copy_rows(std::int64_t rows, std::int64_t columns, const T* from, std::int64_t from_row, std::int64_t from_column,
               T* to, std::int64_t to_row, std::int64_t to_column) {
  // The inner loop runs along the target's smaller stride. If that is not the source's smaller stride, it is a
  // transpose.
  if (rows > 1 && columns > 1 && std::abs(to_row) < std::abs(to_column)) {
    std::swap(rows, columns);
    std::swap(from_row, from_column);
    std::swap(to_row, to_column);
  }
  if (to_column == 1 && to_row == columns && columns < kShortRow && rows > 1) {
    if (from_row == 0 && from_column == 1) return repeat_row(rows, columns, from, to);
    if (from_column == 0) return repeat_elements(rows, columns, from, from_row, to);
  }
  const bool transposes = from_column != 0 && std::abs(from_row) < std::abs(from_column) && rows > 1;
  if (!transposes) {
    for (std::int64_t r = 0; r < rows; ++r) {
      copy_run(columns, from + r * from_row, from_column, to + r * to_row, to_column);
    }
    return;
  }
  for (std::int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    const std::int64_t r1 = std::min(rows, r0 + kBlock);
    for (std::int64_t c0 = 0; c0 < columns; c0 += kBlock) {
      const std::int64_t c1 = std::min(columns, c0 + kBlock);
      const bool is_large = to_column == 1 && (r1 - r0) * (c1 - c0) >= kBlock * kBlock / 4;
      if (is_large && from_row == 1) {
        transpose_block(r1 - r0, c1 - c0, from + r0 + c0 * from_column, from_column, to + r0 * to_row + c0, to_row);
        continue;
      }
      if (is_large && from_row == 2) {  // as convolutions with a stride read
        std::array<T, kBlock * kBlock> block;
        for (std::int64_t c = c0; c < c1; ++c)
          for (std::int64_t r = r0; r < r1; ++r)
            block[static_cast<std::size_t>((c - c0) * kBlock + r - r0)] = from[2 * r + c * from_column];
        transpose_block(r1 - r0, c1 - c0, block.data(), kBlock, to + r0 * to_row + c0, to_row);
        continue;
      }
      for (std::int64_t r = r0; r < r1; ++r) {
        for (std::int64_t c = c0; c < c1; ++c) {
          to[r * to_row + c * to_column] = from[r * from_row + c * from_column];
        }
      }
    }
  }
}

struct Dim {
  std::int64_t size, from, to;
};

template <class T>
void copy_dims(std::span<const Dim> dims, const T* from, T* to) {
  if (dims.size() == 2) {
    copy_rows(dims[0].size, dims[1].size, from, dims[0].from, dims[1].from, to, dims[0].to, dims[1].to);
    return;
  }
  for (std::int64_t k = 0; k < dims[0].size; ++k) {
    copy_dims(dims.subspan(1), from + k * dims[0].from, to + k * dims[0].to);
  }
}

template <class Fn>
void by_element_size(int element_size, Fn fn) {
  switch (element_size) {
    case 1: return fn(std::uint8_t{});
    case 2: return fn(std::uint16_t{});
    case 4: return fn(std::uint32_t{});
    default: return fn(std::uint64_t{});
  }
}

}  // namespace

void copy_matrix(std::int64_t rows, std::int64_t columns, int element_size, const void* source, std::int64_t source_row,
                 std::int64_t source_column, void* target, std::int64_t target_row, std::int64_t target_column) {
  by_element_size(element_size, [&](auto zero) {
    using T = decltype(zero);
    copy_rows(rows, columns, static_cast<const T*>(source), source_row, source_column, static_cast<T*>(target),
              target_row, target_column);
  });
}

void copy_block(std::span<const std::int64_t> sizes, int element_size, const void* source,
                std::span<const std::int64_t> source_strides, void* target,
                std::span<const std::int64_t> target_strides) {
  std::vector<Dim> dims;
  dims.reserve(sizes.size() + 2);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return;
    if (sizes[d] > 1) dims.push_back({sizes[d], source_strides[d], target_strides[d]});
  }
  // Dims are in the target's memory order. Neighbours that are contiguous in both blocks are joined.
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& a, const Dim& b) { return std::abs(a.to) > std::abs(b.to); });
  std::vector<Dim> merged;
  merged.reserve(dims.size() + 2);
  for (const Dim& dim : dims) {
    if (!merged.empty() && merged.back().from == dim.from * dim.size && merged.back().to == dim.to * dim.size) {
      merged.back() = {merged.back().size * dim.size, dim.from, dim.to};
    } else {
      merged.push_back(dim);
    }
  }
  // The dim with the source's smallest stride becomes the last but one, so that a transpose is one matrix.
  if (merged.size() > 2) {
    auto smallest = std::min_element(merged.begin(), merged.end(), [](const Dim& a, const Dim& b) {
      return (a.from == 0 ? INT64_MAX : std::abs(a.from)) < (b.from == 0 ? INT64_MAX : std::abs(b.from));
    });
    if (smallest < merged.end() - 2) std::rotate(smallest, smallest + 1, merged.end() - 1);
  }
  while (merged.size() < 2) merged.insert(merged.begin(), {1, 0, 0});
  by_element_size(element_size, [&](auto zero) {
    using T = decltype(zero);
    copy_dims<T>(merged, static_cast<const T*>(source), static_cast<T*>(target));
  });
}

void fill_block(std::span<const std::int64_t> sizes, int element_size, const void* value, void* target,
                std::span<const std::int64_t> target_strides) {
  const std::vector<std::int64_t> zeros(sizes.size(), 0);
  copy_block(sizes, element_size, value, zeros, target, target_strides);
}

}  // namespace mtf::kernels
