#include "io/element_sum.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace mtf::io {
namespace {

/// A word's factor is that of its place in a run of so many words, times that of the run.
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

// What is said of two words that differ rests on it; so does that all are odd.
static_assert([] {
  std::array<std::uint32_t, kRun> sorted = kFactors;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}());

template <typename Word>
std::uint64_t sum_of_words(std::uint64_t place, std::span<const std::byte> bytes) {
  std::uint64_t at = place / sizeof(Word), sum = 0;
  for (const std::uint64_t end = at + bytes.size() / sizeof(Word); at < end;) {
    const std::uint64_t first = at % kRun, count = std::min(kRun - first, end - at);
    std::array<Word, kRun> words;
    std::memcpy(words.data(), bytes.data(), count * sizeof(Word));
    std::uint64_t of_run = 0;
    for (std::uint64_t i = 0; i < count; ++i) of_run += std::uint64_t{words[i]} * kFactors[first + i];
    sum += of_run * (mixed(at / kRun) | 1);
    bytes = bytes.subspan(count * sizeof(Word));
    at += count;
  }
  return sum;
}

}  // namespace

std::uint64_t element_sum(std::uint64_t place, std::span<const std::byte> bytes, std::size_t element_size) {
  if (element_size == 1) return sum_of_words<std::uint8_t>(place, bytes);
  if (element_size == 2) return sum_of_words<std::uint16_t>(place, bytes);
  return sum_of_words<std::uint32_t>(place, bytes);
}

}  // namespace mtf::io
