#pragma once
// What a search for a way between two shardings is about, freed from what does not change: axes of one processor are
// not in it, and axes that begin a dim's list on both sides stay where they are. Its axes are numbers of its own, each
// of which stands for one axis of the mesh or several that stay together.
#include <array>
#include <vector>

#include "spmd/reshard_search.h"

namespace mtf::spmd {

/// Shardings are of the problem's axes.
struct ReshardProblem {
  std::vector<int64_t> sizes;  ///< of the dims; of each block, where axes begin both lists of a dim
  double element_bytes = 4;
  std::vector<AxisList> axes;                ///< of the mesh, for each axis
  std::vector<int64_t> members;              ///< the size of each axis
  std::vector<std::vector<int64_t>> shapes;  ///< the sizes of the mesh's axes that each stands for
  Sharding from, wanted;

  int64_t group(AxisSet set) const {
    int64_t count = 1;
    for (size_t a = 0; a < members.size(); ++a)
      if (set & axis_bit(static_cast<int>(a))) count *= members[a];
    return count;
  }
  int64_t parts(const AxisList& list) const {
    int64_t count = 1;
    for (int i = 0; i < list.size(); ++i) count *= members[list[i]];
    return count;
  }
  double block_bytes(const Sharding& sharding) const {
    double bytes = element_bytes;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t n = parts(sharding.dims[d]);
      bytes *= static_cast<double>((sizes[d] + n - 1) / n);
    }
    return bytes;
  }
};

/// How many axes begin both lists.
int common_prefix(const AxisList& a, const AxisList& b);

/// Axes of the mesh and of a problem, one way and the other.
class ReshardTranslation {
 public:
  /// `from` and `wanted` have no axes of one processor. `together`: axes that stay side by side become one.
  ReshardTranslation(const TensorType& type, const Sharding& from, const Sharding& wanted, const Mesh& mesh,
                     bool together);

  const ReshardProblem& problem() const { return problem_; }

  /// The way in axes of the mesh.
  ReshardWay outward(ReshardWay way) const;

 private:
  Sharding inward(const Sharding& sharding) const;
  AxisSet outward(AxisSet set) const;

  ReshardProblem problem_;
  std::vector<AxisList> prefixes_;      ///< of each dim: what stays
  std::array<int, kMaxAxes> number_{};  ///< of each axis of the mesh: the problem's that it begins, or -1
};

}  // namespace mtf::spmd
