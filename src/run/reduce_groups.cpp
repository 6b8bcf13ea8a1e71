#include "run/reduce_groups.h"

#include <algorithm>
#include <map>
#include <set>

#include "run/transport.h"
#include "spmd/reduction_tree.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// Returns the first processor of each group with a processor on this rank, ascending.
std::vector<int64_t> firsts(const Hosting& hosting, AxisSet axes) {
  const Mesh& mesh = *hosting.mesh();
  std::vector<int64_t> result;
  for (Coordinates coordinates : hosting.coordinates()) {
    for (int a = 0; a < mesh.order(); ++a)
      if (axes & axis_bit(a)) coordinates[a] = 0;
    result.push_back(mesh.processor(coordinates));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void find_ranks(ReduceGroup& group, const Hosting& hosting) {
  if (hosting.ranks() == 1) {
    group.ranks = {hosting.rank()};
    return;
  }
  std::set<int> seen;
  for (int64_t member : group.members) {
    const int rank = hosting.rank_of(member);
    group.rank_of.push_back(rank);
    if (seen.insert(rank).second) group.ranks.push_back(rank);
  }
  if (group.is_alone()) group.rank_of.clear();
  group.position =
      static_cast<int>(std::find(group.ranks.begin(), group.ranks.end(), hosting.rank()) - group.ranks.begin());
}

void align(ReduceGroup& group) {
  const size_t members = group.members.size(), each = members / group.ranks.size();
  size_t leaves = 1;
  while (leaves < each) leaves *= static_cast<size_t>(group.tree[group.own_levels++]);
  group.aligned = leaves == each && each * group.ranks.size() == members;
  for (size_t i = 0; group.aligned && i < group.rank_of.size(); ++i)
    group.aligned = group.rank_of[i] == group.ranks[i / each];
}

}  // namespace

std::vector<ReduceGroup> reduce_groups(const Hosting& hosting, const spmd::LocalValue& operand, AxisSet axes) {
  const Mesh& mesh = *hosting.mesh();
  const AxisSet varies = operand.varies();
  const Slots& slots = hosting.slots(varies);
  const std::vector<int64_t> tree = spmd::tree_over(mesh.group_size(axes));
  std::vector<ReduceGroup> groups;
  std::set<std::pair<std::vector<int>, std::vector<int>>> seen;
  for (int64_t first : firsts(hosting, axes)) {
    std::vector<int> where;
    const Coordinates coordinates = mesh.coordinates(first);
    for (int a = 0; a < mesh.order(); ++a) where.push_back(varies & axis_bit(a) ? coordinates[a] : -1);
    if (hosting.ranks() == 1 && !seen.emplace(where, std::vector<int>()).second) continue;
    ReduceGroup group;
    group.first = first;
    group.members = mesh.group(first, axes);
    group.tree = tree;
    find_ranks(group, hosting);
    if (hosting.ranks() > 1 &&
        !seen.emplace(std::move(where), group.rank_of.empty() ? group.ranks : group.rank_of).second)
      continue;
    align(group);
    for (int64_t member : group.members) {
      if (hosting.rank_of(member) != hosting.rank()) continue;
      group.hosted.push_back(member);
      group.slots.push_back(slots.of[hosting.index_of(member)]);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<ReduceBundle> bundles_of(std::vector<ReduceGroup> groups, std::vector<ReduceGroup>& alone) {
  std::vector<ReduceBundle> bundles;
  std::map<std::vector<int>, size_t> bundle_of;  // by the ranks of the members
  for (ReduceGroup& group : groups) {
    if (group.is_alone()) {
      alone.push_back(std::move(group));
      continue;
    }
    auto [at, is_new] = bundle_of.emplace(group.rank_of, bundles.size());
    if (is_new) bundles.emplace_back();
    bundles[at->second].groups.push_back(std::move(group));
  }
  // Both ranks of a pair see their common bundles in the same order.
  std::map<int, int> next;
  for (ReduceBundle& bundle : bundles)
    for (int rank : bundle.first().ranks) bundle.tags.push_back(next[rank]++);
  for (const auto& [rank, used] : next)
    if (rank != bundles[0].first().ranks[static_cast<size_t>(bundles[0].first().position)] &&
        used > Transport::kTagsOfCollective)
      fail(Kind::limit_exceeded, {}, "this placement makes two ranks meet in {} different groups, the most is {}", used,
           Transport::kTagsOfCollective);
  return bundles;
}

}  // namespace mtf::run
