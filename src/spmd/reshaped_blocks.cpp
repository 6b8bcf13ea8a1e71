#include "spmd/reshaped_blocks.h"

#include <vector>

#include "spmd/dim_groups.h"

namespace mtf::spmd {
namespace {

/// A factor of the size of a group of dims: the positions of a mesh axis, or (axis < 0) elements that stay together.
struct Factor {
  int axis = -1;
  int64_t size = 1;
};

/// Returns the factors of the dims [first, last), outermost first. Returns nothing if an axis splits a dim unevenly.
std::optional<std::vector<Factor>> factors_of(const Dims& dims, size_t first, size_t last, const Sharding& sharding,
                                              const Mesh& mesh) {
  std::vector<Factor> factors;
  for (size_t d = first; d < last; ++d) {
    int64_t rest = dims[d].size;
    for (int axis : sharding.dims[d]) {
      const int64_t size = mesh.axis_size(axis);
      if (rest % size != 0) return std::nullopt;
      factors.push_back({axis, size});
      rest /= size;
    }
    if (!factors.empty() && factors.back().axis < 0) factors.back().size *= rest;
    else factors.push_back({-1, rest});
  }
  return factors;
}

/// Takes the axes of a dim of `size` from the front of the factors. Returns nothing if the dim cannot be split so.
std::optional<AxisList> take_dim(std::vector<Factor>& factors, size_t& next, int64_t size) {
  AxisList axes;
  bool together = false;  // elements that stay together have been taken: no axis may follow
  while (next < factors.size()) {
    Factor& factor = factors[next];
    if (factor.axis < 0) {
      if (size % factor.size != 0 && factor.size % size != 0) return std::nullopt;
      const int64_t taken = std::min(size, factor.size);
      together = together || taken > 1;
      size /= taken;
      factor.size /= taken;
      if (factor.size > 1) break;
    } else {
      if (size == 1 && factor.size > 1) break;
      if (together || size % factor.size != 0) return std::nullopt;
      axes.push_back(factor.axis);
      size /= factor.size;
    }
    ++next;
  }
  if (size > 1) return std::nullopt;
  return axes;
}

}  // namespace

std::optional<Sharding> reshaped_blocks(const Dims& from, const Sharding& sharding, const Dims& to, const Mesh& mesh) {
  Sharding result = replicated(to.size());
  result.partial = sharding.partial;
  for (const DimGroup& group : dim_groups(from, to)) {
    if (group.last_from - group.first_from == 1 && group.last_to - group.first_to == 1) {
      result.dims[group.first_to] = sharding.dims[group.first_from];
      continue;
    }
    bool split = false;
    for (size_t d = group.first_from; d < group.last_from; ++d) split = split || !sharding.dims[d].empty();
    if (!split) continue;
    std::optional<std::vector<Factor>> factors = factors_of(from, group.first_from, group.last_from, sharding, mesh);
    if (!factors) return std::nullopt;
    size_t next = 0;
    for (size_t d = group.first_to; d < group.last_to; ++d) {
      const std::optional<AxisList> axes = take_dim(*factors, next, to[d].size);
      if (!axes) return std::nullopt;
      result.dims[d] = *axes;
    }
    if (next < factors->size()) return std::nullopt;
  }
  return result;
}

}  // namespace mtf::spmd
