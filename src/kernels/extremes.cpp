#include "kernels/extremes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "kernels/lane_memory.h"

namespace mtf::kernels {
namespace {

using lanes::kBytes;

/// How elements in memory become packets that compare as they do.
template <class T>
struct Elements {
  using Packet = std::conditional_t<std::is_same_v<T, double>, lanes::D,
                                    std::conditional_t<std::is_integral_v<T>, lanes::I, lanes::F>>;
  using Number = lanes::Scalar<Packet>;
  static constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(Number));

  static Packet load(const T* x) {
    if constexpr (std::is_same_v<T, Number>) {
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
  static Number number(T x) {
    if constexpr (std::is_same_v<T, Bf16>) return to_float(x);
    else return x;
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

/// The first place for which `holds` is true, or `count`; it is asked of packets, and then of single numbers.
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
  while (i < count && !holds(E::number(x[i]))) ++i;
  return i;
}

/// Whether a is beyond b or NaN; a mask for packets.
template <bool largest, class V>
auto beats(V a, V b) {
  return (largest ? a > b : a < b) | (a != a);
}
template <bool largest, class V>
V better_of(V a, V b) {
  if constexpr (largest) return lanes::maximum_of(a, b);
  else return lanes::minimum_of(a, b);
}

/// Elements whose extreme is found before anyone asks where it is: they are still in the nearest cache then.
constexpr std::int64_t kPart = 1024;

}  // namespace

template <bool largest, class T>
std::int64_t place_of_extreme(const T* x, std::int64_t count) {
  using E = Elements<T>;
  using V = typename E::Packet;
  std::int64_t place = 0, i = 0;
  auto champion = E::number(x[0]);
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
    place = i + first_that(x + i, n, [&](auto number) { return (number == champion) | (number != number); });
    if (champion != champion) return place;
  }
  for (; i < count; ++i) {
    if (const auto number = E::number(x[i]); beats<largest>(number, champion)) {
      if (number != number) return i;
      champion = number;
      place = i;
    }
  }
  return place;
}

template <class T>
std::int64_t place_of(const T* x, std::int64_t count, T wanted) {
  const auto number = Elements<T>::number(wanted);
  return first_that(x, count, [&](auto each) { return (each == number) | (each != each); });
}

template <class T>
std::int64_t place_above(const T* x, std::int64_t count, T bound) {
  const auto number = Elements<T>::number(bound);
  return first_that(x, count, [&](auto each) { return (each > number) | (each != each); });
}

#define MTF_EXTREMES(T)                                                     \
  template std::int64_t place_of_extreme<true, T>(const T*, std::int64_t);  \
  template std::int64_t place_of_extreme<false, T>(const T*, std::int64_t); \
  template std::int64_t place_of<T>(const T*, std::int64_t, T);             \
  template std::int64_t place_above<T>(const T*, std::int64_t, T);
MTF_EXTREMES(std::uint8_t)
MTF_EXTREMES(std::int32_t)
MTF_EXTREMES(Bf16)
MTF_EXTREMES(float)
MTF_EXTREMES(double)
#undef MTF_EXTREMES

}  // namespace mtf::kernels
