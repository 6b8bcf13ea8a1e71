#pragma once
// The blocks of a tensor on a mesh.
//
// A sharding gives each dim of a tensor an ordered list of mesh axes (an empty list: replicated). It also has a set of
// axes over which the value is partial. The tensor is then the sum of the values of the processors along these axes. A
// sharding names an axis at most once. Along other axes every processor holds the same block (a replica).
//
// A dim of size n, split over an axis of k processors, gives blocks of ceil(n/k) elements. The last ones are shorter or
// empty. The next axis of the list splits each block again in the same way, at the block's actual size. So a dim of 10
// over two axes of 2 gives blocks of 3, 2, 3 and 2, but over one axis of 4 it gives 3, 3, 3 and 1. Gathering over the
// last axis gives the blocks of the remaining axes. Processor 0 has the largest block along every dim.
#include <string>
#include <vector>

#include "support/source.h"
#include "types/dim.h"
#include "types/mesh.h"

namespace mtf {

struct Sharding {
  std::vector<AxisList> dims;  ///< for each dim of the tensor, in declared order
  AxisSet partial = 0;
  /// The axes along which processors hold different data.
  AxisSet varies() const;
  /// The axes that split a dim.
  AxisSet split() const;
  bool operator==(const Sharding&) const = default;
};

/// True if two shardings of a tensor differ at most by axes of one processor: they give the same blocks.
bool give_same_blocks(const Sharding& a, const Sharding& b, const Mesh& mesh);

inline Sharding replicated(size_t dims) { return Sharding{std::vector<AxisList>(dims), 0}; }

/// A half-open range of indices.
struct Interval {
  int64_t first = 0;
  int64_t last = 0;  ///< one past the end
  int64_t size() const { return last - first; }
  bool operator==(const Interval&) const = default;
};

/// The block that a processor holds of a dim of `size` elements, split over `axes`.
Interval block_of(int64_t size, const AxisList& axes, const Mesh& mesh, const Coordinates& coordinates);

/// The size of the largest block.
int64_t block_size(int64_t size, const AxisList& axes, const Mesh& mesh);

/// True if all blocks have the same size.
bool splits_evenly(int64_t size, const AxisList& axes, const Mesh& mesh);

/// `f32[batch=64/rows, io=32]`, with ` partial over cols` if it is partial. `@` marks the axes of `marked`:
/// `batch=64@rows`.
std::string to_string(const TensorType& type, const Sharding& sharding, const Mesh& mesh, AxisSet marked = 0);

/// A dim with the axes that split it (`batch=64/rows+cols`), and the marked ones among them. `mesh` may be null.
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
/// Fails at `place` if a dim is repeated, or an axis splits two dims.
void check_dims(const TextReader& reader, Span place, const std::vector<SplitDim>& dims);

}  // namespace mtf
