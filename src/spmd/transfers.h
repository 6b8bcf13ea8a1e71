#pragma once
// The transfers of a collective that moves blocks: for each the sender, the receiver and the data.
//
// A processor holds one box of a tensor and needs another. The bounds of the blocks alone determine which parts of
// which boxes it takes. This covers all_gather, all_to_all, permute, halo exchange, and slices of a processor's own
// block. Blocks may be uneven or empty. [x] is a block of a tensor of 8 on 4 processors:
//
//                       before                         after
//   all_gather          [01] [23] [45] [67]            [01234567] on each
//   exchange (halo 1)   [01] [23] [45] [67]            [012] [1234] [3456] [567]
//   exchange (shift 1)  [01] [23] [45] [67]            [70] [12] [34] [56]
//   all_to_all          rows of a, all of b            all of a, columns of b
//   transpose           block (i, j)                   block (j, i)
//
// If blocks overlap (exchange_add, spmd/collectives.h), a processor takes its part of every block:
//
//   exchange_add        [012] [1234] [3456] [567]      [01] [23] [45] [67], each the sum of its parts
//
// Ranks execute these transfers (run/redistribution.h), and count what each of their processors sends. Plans count what
// the busiest processor sends, and predicted times its messages.
#include <optional>
#include <vector>

#include "spmd/axis_permutation.h"
#include "spmd/block_index.h"
#include "support/integers.h"
#include "types/cost.h"
#include "types/saturating.h"

namespace mtf::spmd {

/// The boxes from which a processor takes its block.
enum class Sources : uint8_t {
  kOwn,       ///< the processor's own box
  kGroup,     ///< the boxes of processors that differ along `axes`
  kPermuted,  ///< the box of one other processor, because `axes` change indices (spmd/axis_permutation.h)
};

/// What a processor sends to other processors in one collective.
struct Sent {
  int64_t elements = 0;
  int64_t messages = 0;
  Cost formula;  ///< of the elements; set for the busiest processor
};

class Transfers {
 public:
  /// Refers to both values.
  Transfers(const LocalValue& from, const LocalValue& to, Sources sources, AxisSet axes);

  const LocalValue& from() const { return from_; }
  const LocalValue& to() const { return to_; }
  /// Returns the processors whose boxes have parts of the block that `processor` needs, ascending.
  std::vector<int64_t> sources_of(int64_t processor) const;
  /// Returns the processors that need parts of the box of `processor`. Without an order.
  std::vector<int64_t> readers_of(int64_t processor) const;
  /// True if it takes less time to find the readers of one processor than the sources of many.
  bool has_few_readers() const { return sources_ != Sources::kGroup; }
  /// Returns the parts that two intervals of dim `d` share.
  std::vector<Segment> shared_parts(size_t d, Interval held, Interval needed) const;

  Sent sent_by(const Coordinates& at) const { return sent_by(at, all_); }
  /// Returns the most elements and the most messages of any processor.
  Sent most_sent() const;

 private:
  Sent sent_by(const Coordinates& at, const std::vector<size_t>& dims) const;
  Sent most_permuted() const;
  std::vector<int64_t> meeting(const std::vector<DimIndex>& blocks, AxisSet varying, const Coordinates& at,
                               const LocalValue& box) const;

  const LocalValue &from_, &to_;
  const Mesh& mesh_;
  const Sources sources_;
  const AxisSet axes_;
  std::optional<AxisPermutation> permutation_;
  std::vector<DimIndex> holders_, readers_;  ///< for each dim
  std::vector<size_t> all_;                  ///< all dims
};

/// A large movement goes in rounds, so that packed messages need little memory. Each round moves a range of indices of
/// one dim, which the movement leaves as it is.
struct Rounds {
  static constexpr int64_t kMost = 16;
  size_t dim = 0;
  int64_t block = 1;  ///< the most indices of the dim that a processor has
  int64_t size = 1;   ///< indices in each round
  /// The same for all processors: a smaller block leaves later rounds empty.
  int64_t count() const { return ceil_div(block, size); }
  /// Returns the memory for packed messages, if all together need `bytes`. The messages of two rounds are under way.
  int64_t staging(int64_t bytes) const {
    return count() == 1 ? bytes : saturating_multiply(ceil_div(bytes, block), 2 * size);
  }
};
Rounds rounds_of(const LocalValue& from, const LocalValue& to, AxisSet axes);

/// Returns the most indices of a dim that any processor sends. Every processor along the axes that split both gets the
/// interval of `to` from the processors that hold it by `from`.
int64_t most_sent(const LocalDim& from, const LocalDim& to, const Mesh& mesh);

}  // namespace mtf::spmd
