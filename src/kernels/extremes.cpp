#include "kernels/extremes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "kernels/elements.h"
#include "kernels/lane_memory.h"

namespace mtf::kernels {
namespace {

using lanes::kBytes;

/// Converts elements in memory to packets with the same order.
template <class T>
struct Elements {
  using Packet = std::conditional_t<std::is_same_v<T, double>, lanes::D,
                                    std::conditional_t<std::is_integral_v<T>, lanes::I, lanes::F>>;
  static constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(Number<T>));

  static Packet load(const T* x) {
    if constexpr (std::is_same_v<T, Number<T>>) {
      Packet packet;
      std::memcpy(&packet, x, kBytes);
      return packet;
    } else if constexpr (std::is_same_v<T, Bf16>) {
      return lanes::from_memory<ElementType::kBf16, Packet>(reinterpret_cast<const char*>(x));
    } else {
      typedef std::uint8_t Bytes __attribute__((vector_size(kBytes / 4)));
      Bytes bytes;
      std::memcpy(&bytes, x, sizeof(bytes));
      return lanes::widened<Packet>(bytes);
    }
  }
};

template <class Mask>
bool any(Mask mask) {
  std::array<std::uint64_t, kBytes / 8> words;
  std::memcpy(words.data(), &mask, kBytes);
  std::uint64_t all = 0;
  for (const std::uint64_t word : words) all |= word;
  return all != 0;
}

/// The first position for which `holds` is true, or `count`. `holds` gets packets, and then single numbers.
template <class T, class Holds>
std::int64_t first_that(const T* x, std::int64_t count, Holds holds) {
  using E = Elements<T>;
  constexpr std::int64_t kTogether = 8 * E::kLanes;
  std::int64_t i = 0;
  for (; i + kTogether <= count; i += kTogether) {
    auto found = holds(E::load(x + i));
#pragma GCC unroll 8
    for (std::int64_t k = E::kLanes; k < kTogether; k += E::kLanes) found |= holds(E::load(x + i + k));
    if (any(found)) break;
  }
  while (i < count && !holds(to_number(x[i]))) ++i;
  return i;
}

/// True if a is beyond b or NaN; a mask for packets.
template <bool largest, class V>
auto beats(V a, V b) {
  return (largest ? a > b : a < b) | (a != a);
}
template <bool largest, class V>
V better_of(V a, V b) {
  if constexpr (largest) return lanes::maximum_of(a, b);
  else return lanes::minimum_of(a, b);
}

/// The extreme of so many elements is found before its position, while they are still in L1.
constexpr std::int64_t kPart = 1024;

template <bool largest, class T>
std::int64_t position_along(const T* x, std::int64_t count) {
  using E = Elements<T>;
  using V = typename E::Packet;
  std::int64_t position = 0, i = 0;
  auto champion = to_number(x[0]);
  if (champion != champion) return 0;
  for (std::int64_t n; i + E::kLanes <= count; i += n) {
    n = std::min(kPart, (count - i) / E::kLanes * E::kLanes);
    V best[4];
    for (V& each : best) each = E::load(x + i);
    std::int64_t k = 0;
    for (; k + 4 * E::kLanes <= n; k += 4 * E::kLanes) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) best[j] = better_of<largest, V>(E::load(x + i + k + j * E::kLanes), best[j]);
    }
    for (; k < n; k += E::kLanes) best[0] = better_of<largest, V>(E::load(x + i + k), best[0]);
    const V all =
        better_of<largest, V>(better_of<largest, V>(best[0], best[1]), better_of<largest, V>(best[2], best[3]));
    if (!any(beats<largest, V>(all, lanes::splat<V>(champion)))) continue;
    auto found = champion;
    for (std::int64_t lane = 0; lane < E::kLanes; ++lane)
      if (const auto number = all[lane]; found == found && beats<largest>(number, found)) found = number;
    champion = found;
    position = i + first_that(x + i, n, [&](auto number) { return (number == champion) | (number != number); });
    if (champion != champion) return position;
  }
  for (; i < count; ++i) {
    if (const auto number = to_number(x[i]); beats<largest>(number, champion)) {
      if (number != number) return i;
      champion = number;
      position = i;
    }
  }
  return position;
}

/// The number of lines whose extremes are found at once.
constexpr std::int64_t kLinesAtOnce = 256;

template <bool largest, class T>
void positions_across(const T* x, std::int64_t stride, std::int64_t count, std::int64_t lines, std::int32_t first,
                      std::int32_t* positions, std::int64_t apart) {
  std::array<Number<T>, kLinesAtOnce> champions;
  std::array<std::int32_t, kLinesAtOnce> best{};
  for (std::int64_t k = 0; count > 0 && k < lines; ++k) champions[k] = to_number(x[k]);
  for (std::int64_t i = 1; i < count; ++i) {
    x += stride;
    for (std::int64_t k = 0; k < lines; ++k) {
      const Number<T> value = to_number(x[k]), champion = champions[k];
      const bool beats = (largest ? value > champion : value < champion) | ((value != value) & (champion == champion));
      champions[k] = beats ? value : champion;
      best[k] = beats ? static_cast<std::int32_t>(i) : best[k];
    }
  }
  for (std::int64_t k = 0; k < lines; ++k) positions[k * apart] = first + best[k];
}

}  // namespace

std::int64_t position_of_extreme(ElementType type, bool largest, const void* x, std::int64_t count) {
  std::int64_t position = 0;
  by_element(type, [&]<class T>(T) {
    position = largest ? position_along<true>(static_cast<const T*>(x), count)
                       : position_along<false>(static_cast<const T*>(x), count);
  });
  return position;
}

void positions_of_extremes(ElementType type, bool largest, const void* x, std::int64_t stride, std::int64_t count,
                           std::int64_t lines, std::int32_t first, std::int32_t* positions, std::int64_t apart) {
  by_element(type, [&]<class T>(T) {
    for (std::int64_t done = 0, some; done < lines; done += some) {
      some = std::min(kLinesAtOnce, lines - done);
      const T* const from = static_cast<const T*>(x) + done;
      if (largest) positions_across<true>(from, stride, count, some, first, positions + done * apart, apart);
      else positions_across<false>(from, stride, count, some, first, positions + done * apart, apart);
    }
  });
}

std::int64_t position_of(ElementType type, const void* x, std::int64_t count, const void* wanted) {
  std::int64_t position = 0;
  by_element(type, [&]<class T>(T) {
    const auto number = to_number(*static_cast<const T*>(wanted));
    position =
        first_that(static_cast<const T*>(x), count, [&](auto each) { return (each == number) | (each != each); });
  });
  return position;
}

std::int64_t position_above(ElementType type, const void* x, std::int64_t count, const void* bound) {
  std::int64_t position = 0;
  by_element(type, [&]<class T>(T) {
    const auto number = to_number(*static_cast<const T*>(bound));
    position = first_that(static_cast<const T*>(x), count, [&](auto each) { return (each > number) | (each != each); });
  });
  return position;
}

}  // namespace mtf::kernels
