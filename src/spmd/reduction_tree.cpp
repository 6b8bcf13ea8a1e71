#include "spmd/reduction_tree.h"

namespace mtf::spmd {

std::vector<int64_t> tree_over(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t factor = 2; factor * factor <= n; ++factor)
    for (; n % factor == 0; n /= factor) factors.push_back(factor);
  if (n > 1) factors.push_back(n);
  return factors;
}

std::vector<int64_t> exchange_levels(const std::vector<int64_t>& tree) {
  std::vector<int64_t> levels;
  for (int64_t factor : tree) {
    if (levels.empty() || levels.back() * factor > kMostPeers) levels.push_back(factor);
    else levels.back() *= factor;
  }
  return levels;
}

}  // namespace mtf::spmd
