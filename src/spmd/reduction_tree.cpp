#include "spmd/reduction_tree.h"

#include <algorithm>

#include "support/integers.h"
#include "types/dim.h"
#include "types/saturating.h"

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

int64_t sent_whole(const std::vector<int64_t>& levels, int64_t elements) {
  int64_t peers = 0;
  for (int64_t meet : levels) peers += meet - 1;
  return mtf::saturating_multiply(peers, elements);
}

int64_t sent_sliced(const std::vector<int64_t>& levels, int64_t elements) {
  int64_t n = 1;
  for (int64_t meet : levels) n *= meet;
  const int64_t slice = ceil_div(elements, n);
  int64_t sent = elements - slice;  // scattering: everything except its own slice
  int64_t slices = n;
  for (int64_t meet : levels) {
    slices /= meet;  // the slices that a member has before it gathers at this level
    sent = mtf::saturating_add(
        sent, mtf::saturating_multiply(meet - 1, std::min(elements, mtf::saturating_multiply(slices, slice))));
  }
  return sent;
}

bool is_sent_whole(const std::vector<int64_t>& levels, int64_t elements, int64_t element_bytes) {
  if (elements * element_bytes > kLargestWhole) return false;
  return (sent_whole(levels, elements) - sent_sliced(levels, elements)) * element_bytes <= kMoreForWhole;
}

int64_t piece_of_all_reduce(int64_t members, int64_t elements, int64_t element_bytes) {
  const int64_t pieces =
      std::max<int64_t>(1, ceil_div(mtf::saturating_multiply(elements, element_bytes), kLargestAllReduce));
  return std::min(elements, ceil_div(ceil_div(elements, pieces), members) * members);
}

}  // namespace mtf::spmd
