#pragma once
// The message program of an all_reduce or a reduce_scatter: what each member of a group sends, receives and adds, in
// rounds.
//
// One planner makes the program. Ranks run it (run/reduce_task.h), plans add up what its busiest member sends
// (spmd/collectives.h), and predicted times also count its messages (cost/step_time.h).
//
// The members exchange along the tree of spmd/reduction_tree.h. They treat several levels as one, as long as no more
// than kMostPeers meet. For instance, a group of 64 meets as 8 neighbours, then as 8 sums. At each level a member meets
// the members whose numbers differ from its own in one digit. There are three ways:
//
//   whole      at each level, each member sends its whole sum to all that it meets, and all add up
//   scattered  level by level, each member receives the others' parts of one slice and adds them up
//   sliced     scattered; then, in the opposite order, each member sends its slices to those that it meets: 2(n-1)/n of
//              the bytes, the minimum
//
//   sliced, 4 members, one level       0            1            2            3
//     before                        a0 a1 a2 a3  b0 b1 b2 b3  c0 c1 c2 c3  d0 d1 d2 d3
//     scattered                     Σ0           Σ1           Σ2           Σ3
//     gathered                      Σ0 Σ1 Σ2 Σ3 on each
//
// Large arrays are reduced in pieces, one after the other.
#include <cstdint>
#include <vector>

#include "spmd/reduction_tree.h"
#include "types/sharding.h"

namespace mtf::spmd {

/// The limits for sending whole: the bytes, and the additional bytes compared with sliced. Sending whole halves the
/// number of messages to wait for.
inline constexpr int64_t kLargestWhole = 4096;
inline constexpr int64_t kMoreForWhole = 1024;

/// A message to or from another member: a part of the array, in elements of the piece.
struct ReduceMessage {
  int64_t peer;
  Interval part;
  bool operator==(const ReduceMessage&) const = default;
};

/// One round of one member. All its messages are under way at once.
struct ReduceRound {
  std::vector<ReduceMessage> sends;
  std::vector<ReduceMessage> receives;
  bool adds = false;          ///< the received parts are added to `part`; else they are results
  Interval part = {};         ///< the elements that the member adds up, or has
  std::vector<int64_t> tree;  ///< of a round that adds: over the members that meet
  size_t own = 0;             ///< of a round that adds: the index of the member's own term among the received ones
};

enum class ReduceWay : uint8_t { kWhole, kSliced, kScattered };

class ReduceProgram {
 public:
  /// An all_reduce of `elements` among the leaves of `tree`. `largest` is the element count of the largest group of the
  /// collective; it selects one way for all groups.
  static ReduceProgram all_reduce(const std::vector<int64_t>& tree, int64_t elements, int64_t largest,
                                  int64_t element_bytes);
  /// An all_reduce in one round: each member sends its whole array to all others. Ranks with members that form no
  /// subtree of `tree` run it.
  static ReduceProgram in_one_round(const std::vector<int64_t>& tree, int64_t elements);
  /// A reduce_scatter. `slices` are the element counts by the member that gets the slice.
  static ReduceProgram scatter(const std::vector<int64_t>& tree, const std::vector<int64_t>& slices);

  int64_t elements() const { return elements_; }
  bool is_sent_whole() const { return way_ == ReduceWay::kWhole; }
  /// The elements of each piece; only the last may have fewer.
  int64_t piece() const { return piece_; }

  /// Returns what a member does for a piece of `size` elements.
  std::vector<ReduceRound> rounds(int64_t member, int64_t size) const;
  /// Returns the elements that a member sends for the first `elements` of the array.
  int64_t sent(int64_t member, int64_t elements) const;
  /// Returns the elements that a member of a reduce_scatter of `elements` sends, if its own slice has `own`.
  static int64_t sent_by_scatter(int64_t elements, int64_t own) { return elements - own; }
  /// Returns the messages that each member sends for a piece.
  int64_t messages() const;
  static int64_t messages_of_scatter(const std::vector<int64_t>& tree) {
    return ReduceProgram(exchange_levels(tree), ReduceWay::kScattered, 0, 0).messages();
  }
  /// Returns for each slice of a reduce_scatter, in the order of the array, the member that gets it.
  static std::vector<int64_t> slice_owners(const std::vector<int64_t>& tree);

 private:
  ReduceProgram(std::vector<int64_t> levels, ReduceWay way, int64_t elements, int64_t piece);

  int64_t below(size_t level) const;
  int64_t digit(int64_t member, size_t level) const;
  Interval part(int64_t member, size_t level, int64_t size) const;
  Interval slices(int64_t member, size_t level) const;
  int64_t begin_of(int64_t slice, int64_t size) const;
  template <typename F>
  void for_rounds(const F& f) const;
  template <typename F>
  void for_peers(int64_t member, size_t level, int64_t size, const F& f) const;

  const std::vector<int64_t> levels_;  // how many members meet at each level
  const ReduceWay way_;
  const int64_t elements_, piece_;
  int64_t members_ = 1;
  std::vector<int64_t> begins_;  // of a reduce_scatter: the first elements of its slices, then the end
};

/// Returns the elements in each piece of a large all_reduce.
int64_t piece_of_all_reduce(int64_t members, int64_t elements, int64_t element_bytes);

}  // namespace mtf::spmd
