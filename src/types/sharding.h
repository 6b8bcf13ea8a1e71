#pragma once
// Where the blocks of a tensor lie on a mesh.
//
// A sharding gives each dim of a tensor an ordered list of mesh axes (none: whole), and a set of axes over which the
// value is still partial: the tensor is then the sum of what the processors along those axes hold. An axis stands at
// most once in a sharding. Along axes that it does not name, every processor holds the same block (a replica).
//
// Blocks: a dim of size n split over an axis of k gives blocks of ceil(n/k) elements, the last ones shorter or empty;
// the next axis of its list splits each of those blocks again in the same way, so that gathering the last axis always
// gives the blocks of the others. Processor 0 therefore has the largest block along every dim.
#include <string>
#include <vector>

#include "support/source.h"
#include "types/dim.h"
#include "types/mesh.h"

namespace mtf {

struct Sharding {
  std::vector<AxisList> dims;  ///< for each dim of the tensor, in its order
  AxisSet partial = 0;
  /// The axes along which processors hold different data.
  AxisSet varies() const;
  /// The axes that split a dim.
  AxisSet split() const;
  bool operator==(const Sharding&) const = default;
};

inline Sharding replicated(size_t dims) { return Sharding{std::vector<AxisList>(dims), 0}; }

/// A half-open range of indices.
struct Interval {
  int64_t first = 0;
  int64_t last = 0;  ///< one past the end
  int64_t size() const { return last - first; }
  bool operator==(const Interval&) const = default;
};

/// The block of a dim of `size` elements, split over `axes`, that a processor holds.
Interval block_of(int64_t size, const AxisList& axes, const Mesh& mesh, const Coordinates& coordinates);

/// The size of the largest block.
int64_t block_size(int64_t size, const AxisList& axes, const Mesh& mesh);

/// True if all blocks of the split have one size.
bool splits_evenly(int64_t size, const AxisList& axes, const Mesh& mesh);

/// `f32[batch=64/rows, io=32]`, and ` partial over cols` where it is. Before axes of `marked` stands `@`:
/// `batch=64@rows`.
std::string to_string(const TensorType& type, const Sharding& sharding, const Mesh& mesh, AxisSet marked = 0);

/// A dim with the axes that split it, `batch=64/rows+cols`, and those of them that are marked. `mesh` may be null.
struct SplitDim {
  Dim dim;
  AxisList axes;
  AxisSet marked = 0;
};
std::string to_string(const SplitDim& dim, const Mesh* mesh);
SplitDim read_split_dim(TextReader& reader, const Mesh* mesh);

/// `rows+cols`, in the list's order.
std::string axes_text(const AxisList& axes, const Mesh& mesh);
AxisList read_axes(TextReader& reader, const Mesh* mesh);
inline AxisSet read_axis_set(TextReader& reader, const Mesh* mesh) { return read_axes(reader, mesh).set(); }

ElementType read_element_type(TextReader& reader);
/// Refuses, at `place`, dims of one name, and an axis that splits two.
void check_dims(const TextReader& reader, Span place, const std::vector<SplitDim>& dims);

}  // namespace mtf
