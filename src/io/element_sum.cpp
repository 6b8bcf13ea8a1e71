#include "io/element_sum.h"

#include <algorithm>
#include <array>

#include "kernels/kernel_table.h"

namespace mtf::io {
namespace {

/// A word's factor is the product of a factor of its position in a run of this length, and a factor of the run.
constexpr std::uint64_t kRun = 1024;

/// Numbers without a pattern (SplitMix64: Steele, Lea and Flood, 2014).
constexpr std::uint64_t mixed(std::uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

constexpr std::array<std::uint32_t, kRun> kFactors = [] {
  std::array<std::uint32_t, kRun> factors{};
  for (std::uint64_t i = 0; i < kRun; ++i) factors[i] = static_cast<std::uint32_t>(mixed(i)) | 1;
  return factors;
}();

// The guarantee for two wrong words needs these properties, and that all factors are odd.
static_assert([] {
  std::array<std::uint32_t, kRun> sorted = kFactors;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}());

std::uint64_t sum_of_words(std::uint64_t offset, std::span<const std::byte> bytes, std::int64_t word_bytes) {
  const auto size = static_cast<std::uint64_t>(word_bytes);
  std::uint64_t at = offset / size, sum = 0;
  for (const std::uint64_t end = at + bytes.size() / size; at < end;) {
    const std::uint64_t first = at % kRun, count = std::min(kRun - first, end - at);
    sum += kernels::table().weighted_sum(bytes.data(), word_bytes, &kFactors[first], static_cast<std::int64_t>(count)) *
           (mixed(at / kRun) | 1);
    bytes = bytes.subspan(count * size);
    at += count;
  }
  return sum;
}

}  // namespace

std::uint64_t element_sum(std::uint64_t offset, std::span<const std::byte> bytes, std::size_t element_size) {
  return sum_of_words(offset, bytes, element_size < 4 ? static_cast<std::int64_t>(element_size) : 4);
}

}  // namespace mtf::io
