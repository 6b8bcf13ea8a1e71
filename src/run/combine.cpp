#include "run/combine.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "support/diagnostics.h"

namespace mtf::run {
namespace {

template <typename T, typename F>
void map(const void* a, const void* b, void* result, int64_t count, F f) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* z = static_cast<T*>(result);
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < count; ++i) z[i] = f(x[i], y[i]);
}

template <typename T>
void combine_numbers(kernels::Reduction reduction, const void* a, const void* b, void* result, int64_t count) {
  switch (reduction) {
    case kernels::Reduction::kSum:
      if constexpr (std::is_same_v<T, int32_t>)
        return map<uint32_t>(a, b, result, count, [](uint32_t x, uint32_t y) { return x + y; });
      else return map<T>(a, b, result, count, [](T x, T y) { return x + y; });
    case kernels::Reduction::kProd:
      if constexpr (std::is_same_v<T, int32_t>)
        return map<uint32_t>(a, b, result, count, [](uint32_t x, uint32_t y) { return x * y; });
      else return map<T>(a, b, result, count, [](T x, T y) { return x * y; });
    // A NaN is not equal to itself.
    case kernels::Reduction::kMax:
      return map<T>(a, b, result, count, [](T x, T y) { return x != x ? x : y != y ? y : x > y ? x : y; });
    case kernels::Reduction::kMin:
      return map<T>(a, b, result, count, [](T x, T y) { return x != x ? x : y != y ? y : x < y ? x : y; });
    default: MTF_CHECK(false, "numbers are not reduced by and, or");
  }
}

void combine_bf16(kernels::Reduction reduction, const void* a, const void* b, void* result, int64_t count) {
  map<uint16_t>(a, b, result, count, [reduction](uint16_t p, uint16_t q) {
    float x = to_float(Bf16{p}), y = to_float(Bf16{q}), z = 0;
    combine_numbers<float>(reduction, &x, &y, &z, 1);
    return mtf::to_bf16(z).bits;
  });
}

}  // namespace

void combine(ElementType type, kernels::Reduction reduction, const void* a, const void* b, void* result,
             int64_t count) {
  switch (type) {
    case ElementType::kF32: return combine_numbers<float>(reduction, a, b, result, count);
    case ElementType::kF64: return combine_numbers<double>(reduction, a, b, result, count);
    case ElementType::kI32: return combine_numbers<int32_t>(reduction, a, b, result, count);
    case ElementType::kBf16: return combine_bf16(reduction, a, b, result, count);
    case ElementType::kBool: {
      bool both = reduction == kernels::Reduction::kAnd || reduction == kernels::Reduction::kMin ||
                  reduction == kernels::Reduction::kProd;
      if (both) return map<uint8_t>(a, b, result, count, [](uint8_t x, uint8_t y) -> uint8_t { return x & y; });
      return map<uint8_t>(a, b, result, count, [](uint8_t x, uint8_t y) -> uint8_t { return x | y; });
    }
  }
}

namespace {

/// One stretch of the arrays at a time, so that what lies between leaves and root stays in the cache.
class Tree {
 public:
  Tree(ReduceElements elements, std::span<const int64_t> tree, std::span<const std::byte* const> terms)
      : elements_(elements), tree_(tree), terms_(terms) {
    MTF_CHECK(tree.size() <= kLevels, "a tree of {} levels", tree.size());
  }

  int64_t stretch() const { return kBytes / elements_.size(); }

  /// Of `count` elements from the byte `offset` on, in `result`; where `apart`, `result` is not written before the end.
  void run(int64_t offset, int64_t count, std::byte* result, bool apart) {
    offset_ = offset;
    count_ = count;
    const std::byte* sum = join(tree_.size(), 0, apart ? scratch_[kLevels] : result);
    if (sum != result) std::memcpy(result, sum, static_cast<size_t>(count * elements_.size()));
  }

 private:
  static constexpr size_t kLevels = 31;
  static constexpr int64_t kBytes = 4096;

  /// Node `index` of a level: a term itself at the leaves, else in `out`.
  const std::byte* join(size_t level, int64_t index, std::byte* out) {
    if (level == 0) return terms_[static_cast<size_t>(index)] + offset_;
    const int64_t children = tree_[level - 1];
    const std::byte* sum = join(level - 1, index * children, out);
    for (int64_t child = 1; child < children; ++child) {
      const std::byte* next = join(level - 1, index * children + child, scratch_[level - 1]);
      combine(elements_.type, elements_.reduction, sum, next, out, count_);
      sum = out;
    }
    return sum;
  }

  const ReduceElements elements_;
  const std::span<const int64_t> tree_;
  const std::span<const std::byte* const> terms_;
  int64_t offset_ = 0, count_ = 0;
  alignas(64) std::byte scratch_[kLevels + 1][kBytes];
};

}  // namespace

void combine_all(ReduceElements elements, std::span<const int64_t> tree, std::span<const std::byte* const> terms,
                 std::byte* result, int64_t count) {
  if (terms.size() == 2) return combine(elements.type, elements.reduction, terms[0], terms[1], result, count);
  const bool apart = terms.size() > 2 && std::find(terms.begin() + 2, terms.end(), result) != terms.end();
  Tree whole(elements, tree, terms);
  for (int64_t done = 0; done < count; done += whole.stretch()) {
    const int64_t offset = done * elements.size();
    whole.run(offset, std::min(whole.stretch(), count - done), result + offset, apart);
  }
}

}  // namespace mtf::run
