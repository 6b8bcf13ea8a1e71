// Packets of lanes in memory as elements of a type (internal: see lane_math.h).
#pragma once

#include "kernels/lane_steps.h"

namespace mtf::kernels::lanes {

typedef std::uint16_t HalfU16 __attribute__((vector_size(kBytes / 2)));
typedef std::uint16_t QuarterU16 __attribute__((vector_size(kBytes / 4)));
typedef std::int8_t QuarterI8 __attribute__((vector_size(kBytes / 4)));
typedef std::uint32_t HalfU __attribute__((vector_size(kBytes / 2)));

template <class V>
inline V load_bytes(const void* from) {
  V value;
  std::memcpy(&value, from, sizeof(V));
  return value;
}

/// Reads one packet of lanes from elements of a type, and writes it back.
template <ElementType kType, class P>
inline P from_memory(const char* p) {
  if constexpr (kType == ElementType::kF64) {
    return load_bytes<P>(p);
  } else if constexpr (std::is_same_v<P, F>) {
    if constexpr (kType == ElementType::kBf16) {
      return (F)(widened<U>(load_bytes<HalfU16>(p)) << 16);
    } else if constexpr (kType == ElementType::kBool) {
      return (F)(-widened<I>(load_bytes<QuarterI8>(p)));
    } else {
      return load_bytes<F>(p);
    }
  } else {
    if constexpr (kType == ElementType::kBf16) {
      const HalfI half = (HalfI)(widened<HalfU>(load_bytes<QuarterU16>(p)) << 16);
      return D(widened<L>(half));
    } else if constexpr (kType == ElementType::kBool) {
      L value;
      for (int k = 0; k < kD; ++k) value[k] = -static_cast<std::int64_t>(p[k]);
      return (D)value;
    } else {
      return D(widened<L>(load_bytes<HalfI>(p)));
    }
  }
}
template <ElementType kType, class P>
inline void to_memory(char* p, P value) {
  if constexpr (kType == ElementType::kF64) {
    std::memcpy(p, &value, kBytes);
  } else if constexpr (std::is_same_v<P, F>) {
    if constexpr (kType == ElementType::kBf16) {
      const HalfU16 v = __builtin_convertvector((U)value >> 16, HalfU16);
      std::memcpy(p, &v, sizeof v);
    } else if constexpr (kType == ElementType::kBool) {
      const QuarterI8 v = __builtin_convertvector((I)value & 1, QuarterI8);
      std::memcpy(p, &v, sizeof v);
    } else {
      std::memcpy(p, &value, kBytes);
    }
  } else {
    const HalfI half = __builtin_convertvector((L)value, HalfI);
    if constexpr (kType == ElementType::kBf16) {
      const QuarterU16 v = __builtin_convertvector((HalfU)half >> 16, QuarterU16);
      std::memcpy(p, &v, sizeof v);
    } else if constexpr (kType == ElementType::kBool) {
      for (int k = 0; k < kD; ++k) p[k] = static_cast<char>(half[k] & 1);
    } else {
      std::memcpy(p, &half, sizeof half);
    }
  }
}

/// Reduces two numbers or masks to one.
template <Reduction kHow, class V>
inline V join(V a, V b) {
  if constexpr (kHow == Reduction::kAnd) return (V)((I)a & (I)b);
  if constexpr (kHow == Reduction::kOr) return (V)((I)a | (I)b);
  if constexpr (kHow == Reduction::kSum) return apply<LaneOp::kAdd>(a, b);
  if constexpr (kHow == Reduction::kProd) return apply<LaneOp::kMul>(a, b);
  if constexpr (kHow == Reduction::kMax) return maximum_of(a, b);
  if constexpr (kHow == Reduction::kMin) return minimum_of(a, b);
}

}  // namespace mtf::kernels::lanes
