#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "ops/contract.h"

namespace mtf::ops {
namespace {

/// Up to this number of operands every order is tried: 3^n ways to divide the subsets in two.
constexpr size_t kMostTried = 9;
/// Up to this number of operands, the cheapest of all pairs is taken. With more operands, only pairs of the smallest
/// tensor with a few others are compared.
constexpr size_t kMostCompared = 64;

double points(const Dims& first, const Dims& second) {
  double product = 1;
  for (const Dim& dim : first) product *= static_cast<double>(dim.size);
  for (const Dim& dim : second)
    if (!has_dim(first, dim.name)) product *= static_cast<double>(dim.size);
  return product;
}

/// The product of a subset of the operands.
struct Subset {
  Dims dims;
  double cost = std::numeric_limits<double>::infinity();
  unsigned left = 0;  ///< the best division of the subset: `left` and the rest
};

class Search {
 public:
  Search(const std::vector<Dims>& operands, const Dims& result)
      : operands_(operands), result_(result), subsets_(1U << operands.size()) {
    for (unsigned set = 1; set < subsets_.size(); ++set) solve(set);
  }

  std::vector<std::pair<int, int>> pairs() {
    next_ = static_cast<int>(operands_.size());
    position(static_cast<unsigned>(subsets_.size()) - 1);
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
      if (left > right) continue;  // each division once
      const double cost =
          subsets_[left].cost + subsets_[right].cost + points(subsets_[left].dims, subsets_[right].dims);
      if (cost < best.cost) best.cost = cost, best.left = left;
    }
    std::vector<Dims> others;
    for (size_t i = 0; i < operands_.size(); ++i)
      if ((set & 1U << i) == 0) others.push_back(operands_[i]);
    best.dims = product_dims(subsets_[best.left].dims, subsets_[set & ~best.left].dims, [&](Name dim) {
      return has_dim(result_, dim) ||
             std::any_of(others.begin(), others.end(), [&](const Dims& other) { return has_dim(other, dim); });
    });
  }

  /// The index of a subset's product. Lists the pairs that make it first.
  int position(unsigned set) {
    if ((set & (set - 1)) == 0) {
      int i = 0;
      while (set != 1U << i) ++i;
      return i;
    }
    const int left = position(subsets_[set].left);
    const int right = position(set & ~subsets_[set].left);
    pairs_.emplace_back(left, right);
    return next_++;
  }

  const std::vector<Dims>& operands_;
  const Dims& result_;
  std::vector<Subset> subsets_;
  std::vector<std::pair<int, int>> pairs_;
  int next_ = 0;
};

/// Chooses one pair after the other, without revision. The time grows as n log n with the number of operands.
class Greedy {
 public:
  Greedy(const std::vector<Dims>& operands, const Dims& result) {
    tensors_.reserve(2 * operands.size());
    for (const Dim& dim : result) ++uses_[dim.name];
    for (const Dims& dims : operands) add(dims);
  }

  std::vector<std::pair<int, int>> pairs() {
    while (by_size_.size() > kMostCompared) multiply(smallest_pair());
    while (by_size_.size() > 1) multiply(cheapest_pair());
    return pairs_;
  }

 private:
  using BySize = std::set<std::pair<double, int>>;  // elements, index

  void add(const Dims& dims) {
    const int index = static_cast<int>(tensors_.size());
    tensors_.push_back(dims);
    sizes_.push_back(points(dims, {}));
    by_size_.emplace(sizes_[index], index);
    for (const Dim& dim : dims) {
      ++uses_[dim.name];
      with_[dim.name].emplace(sizes_[index], index);
    }
  }

  void remove(int index) {
    by_size_.erase({sizes_[index], index});
    for (const Dim& dim : tensors_[index]) {
      --uses_[dim.name];
      with_[dim.name].erase({sizes_[index], index});
    }
  }

  void multiply(std::pair<int, int> pair) {
    const auto [i, j] = pair;
    remove(i);
    remove(j);
    add(product_dims(tensors_[i], tensors_[j], [&](Name dim) { return uses_[dim] > 0; }));
    pairs_.push_back(pair);
  }

  /// The smallest tensor and its best partner, with the fewest points in the product. Candidates are the smallest
  /// tensor for each dim of the first one, and the next smallest of all.
  std::pair<int, int> smallest_pair() const {
    const int first = by_size_.begin()->second;
    int best = std::next(by_size_.begin())->second;
    double least = points(tensors_[first], tensors_[best]);
    const auto consider = [&](const BySize& some) {
      auto at = some.begin();
      if (at != some.end() && at->second == first) ++at;
      if (at == some.end()) return;
      const double cost = points(tensors_[first], tensors_[at->second]);
      if (cost < least || (cost == least && at->second < best)) least = cost, best = at->second;
    };
    for (const Dim& dim : tensors_[first]) consider(with_.at(dim.name));
    return std::minmax(first, best);
  }

  /// The pair with the fewest points. The first of equal pairs wins.
  std::pair<int, int> cheapest_pair() const {
    std::vector<int> left;
    for (const auto& [size, index] : by_size_) left.push_back(index);
    std::sort(left.begin(), left.end());
    std::pair<int, int> best{left[0], left[1]};
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < left.size(); ++i)
      for (size_t j = i + 1; j < left.size(); ++j)
        if (const double cost = points(tensors_[left[i]], tensors_[left[j]]); cost < least)
          least = cost, best = {left[i], left[j]};
    return best;
  }

  std::vector<Dims> tensors_;  // products follow the operands
  std::vector<double> sizes_;
  BySize by_size_;                         // the remaining tensors
  std::unordered_map<Name, BySize> with_;  // the remaining tensors that have a dim
  std::unordered_map<Name, int> uses_;     // number of remaining tensors and results with the dim
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace

Dims product_dims(const Dims& first, const Dims& second, const std::function<bool(Name)>& is_needed) {
  Dims kept;
  for (const Dims* dims : {&first, &second})
    for (const Dim& dim : *dims)
      if (is_needed(dim.name) && !has_dim(kept, dim.name)) kept.push_back(dim);
  return kept;
}

std::vector<std::pair<int, int>> pair_by_flops(const std::vector<Dims>& operands, const Dims& result) {
  if (operands.size() <= kMostTried) return Search(operands, result).pairs();
  return Greedy(operands, result).pairs();
}

}  // namespace mtf::ops
