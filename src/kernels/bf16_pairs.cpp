#include "kernels/bf16_pairs.h"

#include <cstring>

namespace mtf::kernels {
namespace {

std::uint32_t bits(float x) { return mtf::to_bf16(x).bits; }
std::uint32_t bits(Bf16 x) { return x.bits; }

void put(float* to, std::uint32_t first, std::uint32_t second) {
  const std::uint32_t pair = first | second << 16;
  std::memcpy(to, &pair, sizeof pair);
}

// Loops without branches, which the compiler vectorises.
template <class S>
void lines_of(const S* __restrict first, const S* __restrict second, std::int64_t n, float* __restrict to) {
  if (second != nullptr)
    for (std::int64_t i = 0; i < n; ++i) put(to + i, bits(first[i]), bits(second[i]));
  else
    for (std::int64_t i = 0; i < n; ++i) put(to + i, bits(first[i]), 0);
}

template <class S>
void along(const S* __restrict line, std::int64_t n, float* __restrict to) {
  for (std::int64_t p = 0; p < n / 2; ++p) put(to + p, bits(line[2 * p]), bits(line[2 * p + 1]));
  if (n % 2 != 0) put(to + n / 2, bits(line[n - 1]), 0);
}

}  // namespace

void pair_lines(const float* first, const float* second, std::int64_t n, float* to) { lines_of(first, second, n, to); }
void pair_lines(const Bf16* first, const Bf16* second, std::int64_t n, float* to) { lines_of(first, second, n, to); }
void pair_along(const float* line, std::int64_t n, float* to) { along(line, n, to); }
void pair_along(const Bf16* line, std::int64_t n, float* to) { along(line, n, to); }

}  // namespace mtf::kernels
