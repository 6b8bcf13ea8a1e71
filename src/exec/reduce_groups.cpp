#include "exec/reduce_groups.h"

#include <algorithm>
#include <set>

namespace mtf {
namespace {

/// For each member of a group the first member that the same rank hosts: how ranks cut the group.
std::vector<size_t> cut_by_ranks(const Hosting& hosting, const std::vector<int64_t>& members) {
  std::vector<size_t> cut;
  for (size_t i = 0; i < members.size(); ++i) {
    size_t first = 0;
    while (hosting.rank_of(members[first]) != hosting.rank_of(members[i])) ++first;
    cut.push_back(first);
  }
  return cut;
}

bool all_cut_alike(const Hosting& hosting, AxisSet axes) {
  const Mesh& mesh = *hosting.mesh();
  if (hosting.ranks() == 1 || hosting.ranks() == mesh.size()) return true;
  std::vector<size_t> first_cut;
  for (int64_t processor = 0; processor < mesh.size(); ++processor) {
    if (mesh.place_in_group(processor, axes) != 0) continue;
    std::vector<size_t> cut = cut_by_ranks(hosting, mesh.group(processor, axes));
    if (first_cut.empty()) first_cut = std::move(cut);
    else if (cut != first_cut) return false;
  }
  return true;
}

}  // namespace

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
  const bool by_member = !all_cut_alike(hosting, axes);
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
      const size_t term = by_member ? group.terms.size() : static_cast<size_t>(std::find(group.ranks.begin(), group.ranks.end(), rank) - group.ranks.begin());
      if (term == group.terms.size()) group.terms.push_back({rank, {}});
      if (rank != hosting.rank()) continue;
      group.places.push_back(hosting.places(varies).of[hosting.index_of(member)]);
      group.terms[term].places.push_back(group.places.back());
    }
    group.by_member = by_member && group.ranks.size() > 1;
    Coordinates coordinates = mesh.coordinates(first);
    for (int a = 0; a < mesh.order(); ++a) where.push_back(varies & axis_bit(a) ? coordinates[a] : -1);
    if (!seen.emplace(std::move(where), std::move(rank_of_member)).second) continue;
    group.position = static_cast<int>(std::find(group.ranks.begin(), group.ranks.end(), hosting.rank()) - group.ranks.begin());
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace mtf
