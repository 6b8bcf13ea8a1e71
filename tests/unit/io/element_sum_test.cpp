// A checksum that does not depend on how a tensor is cut into blocks, and detects changes.
#include "io/element_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace mtf::io {
namespace {

std::vector<std::byte> some_bytes(std::size_t size) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(ElementSum, IsAddedUpFromAnyParts) {
  const std::vector<std::byte> bytes = some_bytes(24 * 100);
  std::mt19937 random(3);
  for (const std::size_t size : {1, 2, 4, 8}) {
    const std::uint64_t whole = element_sum(0, bytes, size);
    for (int iteration = 0; iteration < 20; ++iteration) {
      std::uint64_t sum = 0;
      for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t length = std::min(bytes.size() - at, size * (1 + random() % 37));
        sum += element_sum(at, std::span(bytes).subspan(at, length), size);
        at += length;
      }
      EXPECT_EQ(sum, whole) << size;
    }
  }
}

TEST(ElementSum, EveryBitThatFlipsChangesIt) {
  std::vector<std::byte> bytes = some_bytes(256);
  for (const std::size_t size : {1, 2, 4, 8}) {
    const std::uint64_t before = element_sum(0, bytes, size);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
      EXPECT_NE(element_sum(0, bytes, size), before);
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
}

TEST(ElementSum, TwoSignsAndTwoPlacesChangeIt) {
  std::vector<float> numbers(64);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1);
  const auto sum = [&] { return element_sum(0, std::as_bytes(std::span(numbers)), sizeof(float)); };
  const std::uint64_t before = sum();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = i + 1; j < numbers.size(); ++j) {
      std::swap(numbers[i], numbers[j]);
      EXPECT_NE(sum(), before);
      std::swap(numbers[i], numbers[j]);
      numbers[i] = -numbers[i], numbers[j] = -numbers[j];
      EXPECT_NE(sum(), before);
      numbers[i] = -numbers[i], numbers[j] = -numbers[j];
    }
  }
}

TEST(ElementSum, TheSameNumbersAtAnotherPlaceHaveAnother) {
  const std::vector<std::byte> bytes = some_bytes(64);
  for (const std::uint64_t place : {4, 64, 4096, 4096 * 1024})
    EXPECT_NE(element_sum(0, bytes, 4), element_sum(place, bytes, 4)) << place;
}

}  // namespace
}  // namespace mtf::io
