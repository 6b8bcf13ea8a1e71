#include "exec/reduce_groups.h"

#include <algorithm>
#include <set>

namespace mtf {

std::vector<ReduceGroup> reduce_groups(const Hosting& hosting, const LocalValue& operand, AxisSet axes) {
  const Mesh& mesh = *hosting.mesh();
  AxisSet varies = operand.varies();
  std::set<int64_t> firsts;
  for (int64_t processor : hosting.processors()) {
    Coordinates coordinates = mesh.coordinates(processor);
    for (int a = 0; a < mesh.order(); ++a)
      if (axes & axis_bit(a)) coordinates[a] = 0;
    firsts.insert(mesh.processor(coordinates));
  }
  std::vector<ReduceGroup> groups;
  std::set<std::pair<std::vector<int>, std::vector<int>>> seen;
  for (int64_t first : firsts) {
    ReduceGroup group;
    group.first = first;
    group.members = mesh.group(first, axes);
    std::vector<int> rank_of_member, where;
    for (int64_t member : group.members) {
      int rank = hosting.rank_of(member);
      rank_of_member.push_back(rank);
      if (std::find(group.ranks.begin(), group.ranks.end(), rank) == group.ranks.end()) group.ranks.push_back(rank);
      if (rank == hosting.rank()) group.places.push_back(hosting.places(varies).of[hosting.index_of(member)]);
    }
    Coordinates coordinates = mesh.coordinates(first);
    for (int a = 0; a < mesh.order(); ++a) where.push_back(varies & axis_bit(a) ? coordinates[a] : -1);
    if (!seen.emplace(std::move(where), std::move(rank_of_member)).second) continue;
    group.position = static_cast<int>(std::find(group.ranks.begin(), group.ranks.end(), hosting.rank()) - group.ranks.begin());
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace mtf
