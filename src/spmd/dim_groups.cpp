#include "spmd/dim_groups.h"

namespace mtf::spmd {

std::vector<DimGroup> dim_groups(const Dims& from, const Dims& to) {
  std::vector<DimGroup> groups;
  size_t i = 0, o = 0;
  while (i < from.size() || o < to.size()) {
    DimGroup group{i, i, o, o, 1};
    int64_t a = 1, b = 1;
    if (i < from.size()) a = from[i++].size;
    if (o < to.size()) b = to[o++].size;
    while (a != b) {
      if ((a < b && i < from.size()) || o == to.size()) a *= from[i++].size;
      else b *= to[o++].size;
    }
    group.last_from = i;
    group.last_to = o;
    group.size = a;
    groups.push_back(group);
  }
  return groups;
}

}  // namespace mtf::spmd
