#include "run/combine.h"

#include <algorithm>
#include <cstring>

#include "kernels/kernel_table.h"
#include "support/diagnostics.h"

namespace mtf::run {

void combine(ElementType type, kernels::Reduction reduction, const void* a, const void* b, void* result,
             int64_t count) {
  kernels::table().combine_elements(type, reduction, a, b, result, count);
}

namespace {

/// Combines a stretch of the arrays at a time, so that intermediate sums stay in the cache.
class Tree {
 public:
  Tree(ReduceElements elements, std::span<const int64_t> tree, std::span<const std::byte* const> terms)
      : elements_(elements), tree_(tree), terms_(terms) {
    MTF_CHECK(tree.size() <= kLevels, "a tree of {} levels", tree.size());
  }

  int64_t stretch() const { return kBytes / elements_.size(); }

  /// Combines `count` elements from byte `offset` on into `result`. `apart`: writes `result` only at the end, because
  /// it is also an operand.
  void run(int64_t offset, int64_t count, std::byte* result, bool apart) {
    offset_ = offset;
    count_ = count;
    const std::byte* sum = join(tree_.size(), 0, apart ? scratch_[kLevels] : result);
    if (sum != result) std::memcpy(result, sum, static_cast<size_t>(count * elements_.size()));
  }

 private:
  static constexpr size_t kLevels = 31;
  static constexpr int64_t kBytes = 4096;

  /// Returns node `index` of a level. A leaf is an operand itself; other nodes are computed into `out`.
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
