#pragma once
// The placement of a mesh's processors: which of them is in the place of each.
//
//   3,2,1,0                 all processors of a mesh, in their order
//   stage:1,0               along one axis: stage 1 is in the place of stage 0, with all its processors, and 0 in that
//   of 1 stage:1,0;data:0,2,1    along several axes
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/name.h"
#include "types/mesh.h"

namespace mtf {

class Placement {
 public:
  /// All processors are in their own places.
  Placement() = default;
  /// Reads a text as above. Throws std::invalid_argument, which says what was expected and found.
  static Placement parse(const std::string& text);

  bool empty() const { return processors_.empty() && axes_.empty(); }
  /// True if the placement says of each processor of the mesh where it is: it has all processors, or the mesh has its
  /// axes with these sizes.
  bool fits(const Mesh& mesh) const;
  /// Returns, for each place in the order of the mesh, the processor that is there. Returns nothing if all are in their
  /// own places, or if the placement does not fit the mesh.
  std::vector<std::int64_t> on(const Mesh& mesh) const;
  std::string text() const;
  /// Says that the placement does not fit a mesh, such as `[stage: 2]`.
  std::string misfit(const std::string& mesh) const;

 private:
  std::vector<std::int64_t> processors_;
  std::vector<std::pair<Name, std::vector<std::int64_t>>> axes_;
};

}  // namespace mtf
