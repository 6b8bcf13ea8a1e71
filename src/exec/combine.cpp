#include "exec/combine.h"

#include <type_traits>

#include "support/diagnostics.h"

namespace mtf {
namespace {

template <typename T, typename F>
void map(const void* a, const void* b, void* result, int64_t count, F f) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* z = static_cast<T*>(result);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) z[i] = f(x[i], y[i]);
}

template <typename T>
void combine_numbers(Reduction reduction, const void* a, const void* b, void* result, int64_t count) {
  switch (reduction) {
    case Reduction::kSum:
      if constexpr (std::is_same_v<T, int32_t>)
        return map<uint32_t>(a, b, result, count, [](uint32_t x, uint32_t y) { return x + y; });
      else
        return map<T>(a, b, result, count, [](T x, T y) { return x + y; });
    case Reduction::kProd:
      if constexpr (std::is_same_v<T, int32_t>)
        return map<uint32_t>(a, b, result, count, [](uint32_t x, uint32_t y) { return x * y; });
      else
        return map<T>(a, b, result, count, [](T x, T y) { return x * y; });
    // A NaN is not equal to itself.
    case Reduction::kMax: return map<T>(a, b, result, count, [](T x, T y) { return x != x ? x : y != y ? y : x > y ? x : y; });
    case Reduction::kMin: return map<T>(a, b, result, count, [](T x, T y) { return x != x ? x : y != y ? y : x < y ? x : y; });
    default: MTF_CHECK(false, "numbers are not reduced by and, or");
  }
}

void combine_bf16(Reduction reduction, const void* a, const void* b, void* result, int64_t count) {
  map<uint16_t>(a, b, result, count, [reduction](uint16_t p, uint16_t q) {
    float x = to_float(Bf16{p}), y = to_float(Bf16{q}), z = 0;
    combine_numbers<float>(reduction, &x, &y, &z, 1);
    return to_bf16(z).bits;
  });
}

}  // namespace

void combine(ElementType type, Reduction reduction, const void* a, const void* b, void* result, int64_t count) {
  switch (type) {
    case ElementType::kF32: return combine_numbers<float>(reduction, a, b, result, count);
    case ElementType::kF64: return combine_numbers<double>(reduction, a, b, result, count);
    case ElementType::kI32: return combine_numbers<int32_t>(reduction, a, b, result, count);
    case ElementType::kBf16: return combine_bf16(reduction, a, b, result, count);
    case ElementType::kBool: {
      bool both = reduction == Reduction::kAnd || reduction == Reduction::kMin || reduction == Reduction::kProd;
      if (both) return map<uint8_t>(a, b, result, count, [](uint8_t x, uint8_t y) -> uint8_t { return x & y; });
      return map<uint8_t>(a, b, result, count, [](uint8_t x, uint8_t y) -> uint8_t { return x | y; });
    }
  }
}

}  // namespace mtf
