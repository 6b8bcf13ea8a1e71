#include <cmath>
#include <limits>

#include "ops/contract.h"

namespace mtf {
namespace {

/// Up to so many operands every order is tried: 3^n ways to cut the subsets in two.
constexpr size_t kMostTried = 9;

double points(const Dims& first, const Dims& second) {
  double product = 1;
  for (const Dim& dim : first) product *= static_cast<double>(dim.size);
  for (const Dim& dim : second)
    if (!has_dim(first, dim.name)) product *= static_cast<double>(dim.size);
  return product;
}

/// What is known of the product of a subset of the operands.
struct Subset {
  Dims dims;
  double cost = std::numeric_limits<double>::infinity();
  unsigned left = 0;  ///< the better of its halves' cuts: left and the rest
};

class Search {
 public:
  Search(const std::vector<Dims>& operands, const Dims& result) : operands_(operands), result_(result), subsets_(1U << operands.size()) {
    for (unsigned set = 1; set < subsets_.size(); ++set) solve(set);
  }

  std::vector<std::pair<int, int>> pairs() {
    next_ = static_cast<int>(operands_.size());
    place(static_cast<unsigned>(subsets_.size()) - 1);
    return pairs_;
  }

 private:
  void solve(unsigned set) {
    Subset& best = subsets_[set];
    if ((set & (set - 1)) == 0) {
      for (size_t i = 0; i < operands_.size(); ++i)
        if (set == 1U << i) best = {operands_[i], 0, 0};
      return;
    }
    for (unsigned left = (set - 1) & set; left > 0; left = (left - 1) & set) {
      const unsigned right = set & ~left;
      if (left > right) continue;  // each cut once
      const double cost = subsets_[left].cost + subsets_[right].cost + points(subsets_[left].dims, subsets_[right].dims);
      if (cost < best.cost) best.cost = cost, best.left = left;
    }
    std::vector<Dims> others;
    for (size_t i = 0; i < operands_.size(); ++i)
      if ((set & 1U << i) == 0) others.push_back(operands_[i]);
    best.dims = product_dims(subsets_[best.left].dims, subsets_[set & ~best.left].dims, others, result_);
  }

  /// The index of a subset's product, its pairs listed first.
  int place(unsigned set) {
    if ((set & (set - 1)) == 0) {
      int i = 0;
      while (set != 1U << i) ++i;
      return i;
    }
    const int left = place(subsets_[set].left);
    const int right = place(set & ~subsets_[set].left);
    pairs_.emplace_back(left, right);
    return next_++;
  }

  const std::vector<Dims>& operands_;
  const Dims& result_;
  std::vector<Subset> subsets_;
  std::vector<std::pair<int, int>> pairs_;
  int next_ = 0;
};

/// The cheapest next pair, again and again.
std::vector<std::pair<int, int>> greedy_pairs(std::vector<Dims> tensors, const Dims& result) {
  std::vector<std::pair<int, int>> pairs;
  std::vector<int> left;
  for (size_t i = 0; i < tensors.size(); ++i) left.push_back(static_cast<int>(i));
  while (left.size() > 1) {
    size_t best_i = 0, best_j = 1;
    double best = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < left.size(); ++i)
      for (size_t j = i + 1; j < left.size(); ++j)
        if (const double cost = points(tensors[left[i]], tensors[left[j]]); cost < best) best = cost, best_i = i, best_j = j;
    const int i = left[best_i], j = left[best_j];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best_j));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best_i));
    std::vector<Dims> others;
    for (int k : left) others.push_back(tensors[k]);
    tensors.push_back(product_dims(tensors[i], tensors[j], others, result));
    left.push_back(static_cast<int>(tensors.size()) - 1);
    pairs.emplace_back(i, j);
  }
  return pairs;
}

}  // namespace

Dims product_dims(const Dims& first, const Dims& second, const std::vector<Dims>& others, const Dims& result) {
  Dims kept;
  const auto add = [&](const Dims& dims) {
    for (const Dim& dim : dims) {
      bool needed = has_dim(result, dim.name);
      for (const Dims& other : others) needed = needed || has_dim(other, dim.name);
      if (needed && !has_dim(kept, dim.name)) kept.push_back(dim);
    }
  };
  add(first);
  add(second);
  return kept;
}

std::vector<std::pair<int, int>> pair_by_flops(const std::vector<Dims>& operands, const Dims& result) {
  if (operands.size() <= kMostTried) return Search(operands, result).pairs();
  return greedy_pairs(operands, result);
}

}  // namespace mtf
