#include "spmd/reduce_program.h"

#include <algorithm>

#include "support/integers.h"
#include "types/saturating.h"

namespace mtf::spmd {
namespace {

int64_t members_of(const std::vector<int64_t>& tree) {
  int64_t members = 1;
  for (int64_t factor : tree) members *= factor;
  return members;
}

}  // namespace

ReduceProgram::ReduceProgram(std::vector<int64_t> levels, ReduceWay way, int64_t elements, int64_t piece)
    : levels_(std::move(levels)), way_(way), elements_(elements), piece_(std::max<int64_t>(piece, 1)) {
  for (int64_t meet : levels_) members_ *= meet;
}

ReduceProgram ReduceProgram::all_reduce(const std::vector<int64_t>& tree, int64_t elements, int64_t largest,
                                        int64_t element_bytes) {
  const std::vector<int64_t> levels = exchange_levels(tree);
  if (mtf::saturating_multiply(largest, element_bytes) <= kLargestWhole) {
    const ReduceProgram whole(levels, ReduceWay::kWhole, largest, largest),
        sliced(levels, ReduceWay::kSliced, largest, largest);
    if ((whole.sent(0, largest) - sliced.sent(0, largest)) * element_bytes <= kMoreForWhole)
      return {levels, ReduceWay::kWhole, elements, elements};
  }
  return {levels, ReduceWay::kSliced, elements, piece_of_all_reduce(members_of(tree), elements, element_bytes)};
}

ReduceProgram ReduceProgram::in_one_round(const std::vector<int64_t>& tree, int64_t elements) {
  return {{members_of(tree)}, ReduceWay::kWhole, elements, elements};
}

ReduceProgram ReduceProgram::scatter(const std::vector<int64_t>& tree, const std::vector<int64_t>& slices) {
  int64_t elements = 0;
  for (int64_t slice : slices) elements += slice;
  ReduceProgram program(exchange_levels(tree), ReduceWay::kScattered, elements, elements);
  program.begins_ = {0};
  for (int64_t owner : slice_owners(tree))
    program.begins_.push_back(program.begins_.back() + slices[static_cast<size_t>(owner)]);
  return program;
}

// The number of a member has one digit for each level; the first level has the lowest digit. Slices are ordered by the
// same digits, but there the first level has the highest digit. Thus after each level the slices that a member still
// adds up are contiguous.

/// Returns the members that meet before `level`: the weight of its digit.
int64_t ReduceProgram::below(size_t level) const {
  int64_t product = 1;
  for (size_t l = 0; l < level; ++l) product *= levels_[l];
  return product;
}

int64_t ReduceProgram::digit(int64_t member, size_t level) const { return member / below(level) % levels_[level]; }

/// Returns the slices that `member` still adds up after `level` levels.
Interval ReduceProgram::slices(int64_t member, size_t level) const {
  int64_t first = 0, count = members_;
  for (size_t l = 0; l < level; ++l) {
    count /= levels_[l];
    first += digit(member, l) * count;
  }
  return {first, first + count};
}

/// Returns the first element of a slice of a piece. All slices have equal lengths, but the last ones may be shorter or
/// empty; a reduce_scatter has slices of its own.
int64_t ReduceProgram::begin_of(int64_t slice, int64_t size) const {
  if (way_ == ReduceWay::kScattered) return begins_[static_cast<size_t>(slice)];
  return std::min(size, mtf::saturating_multiply(slice, ceil_div(size, members_)));
}

/// Returns the elements of these slices.
Interval ReduceProgram::part(int64_t member, size_t level, int64_t size) const {
  if (way_ == ReduceWay::kWhole) return {0, size};
  const Interval own = slices(member, level);
  return {begin_of(own.first, size), begin_of(own.last, size)};
}

std::vector<int64_t> ReduceProgram::slice_owners(const std::vector<int64_t>& tree) {
  const ReduceProgram program(exchange_levels(tree), ReduceWay::kScattered, 0, 0);
  std::vector<int64_t> owners(static_cast<size_t>(program.members_));
  for (int64_t member = 0; member < program.members_; ++member)
    owners[static_cast<size_t>(program.slices(member, program.levels_.size()).first)] = member;
  return owners;
}

/// Calls `f` with the level of each round, and whether the members add up there. Else they send each other the results
/// that they have.
template <typename F>
void ReduceProgram::for_rounds(const F& f) const {
  for (size_t level = 0; level < levels_.size(); ++level) f(level, true);
  for (size_t level = levels_.size(); way_ == ReduceWay::kSliced && level-- > 0;) f(level, false);
}

/// Calls `f` with each peer of a member in a round, and with the part that the peer adds up, or has.
template <typename F>
void ReduceProgram::for_peers(int64_t member, size_t level, int64_t size, const F& f) const {
  const int64_t own = digit(member, level), step = below(level);
  for (int64_t digit = 0; digit < levels_[level]; ++digit)
    if (const int64_t peer = member + (digit - own) * step; peer != member) f(peer, part(peer, level + 1, size));
}

std::vector<ReduceRound> ReduceProgram::rounds(int64_t member, int64_t size) const {
  std::vector<ReduceRound> rounds;
  for_rounds([&](size_t level, bool adds) {
    ReduceRound& round = rounds.emplace_back();
    round.adds = adds;
    round.part = part(member, level + 1, size);
    for_peers(member, level, size, [&](int64_t peer, Interval theirs) {
      round.sends.push_back({peer, adds ? theirs : round.part});
      round.receives.push_back({peer, adds ? round.part : theirs});
    });
    if (!adds) return;
    round.tree = tree_over(levels_[level]);
    round.own = static_cast<size_t>(digit(member, level));
  });
  return rounds;
}

int64_t ReduceProgram::sent(int64_t member, int64_t elements) const {
  const auto of_piece = [&](int64_t size) {
    int64_t sent = 0;
    for_rounds([&](size_t level, bool adds) {
      const Interval own = part(member, level + 1, size);
      for_peers(member, level, size,
                [&](int64_t, Interval theirs) { sent = mtf::saturating_add(sent, (adds ? theirs : own).size()); });
    });
    return sent;
  };
  const int64_t pieces = elements / piece_, rest = elements % piece_;
  return mtf::saturating_add(pieces > 0 ? mtf::saturating_multiply(pieces, of_piece(piece_)) : 0,
                             rest > 0 ? of_piece(rest) : 0);
}

int64_t ReduceProgram::messages() const {
  int64_t count = 0;
  for_rounds([&](size_t level, bool) { count += levels_[level] - 1; });
  return count;
}

int64_t piece_of_all_reduce(int64_t members, int64_t elements, int64_t element_bytes) {
  const int64_t pieces =
      std::max<int64_t>(1, ceil_div(mtf::saturating_multiply(elements, element_bytes), kLargestAllReduce));
  return std::min(elements, ceil_div(ceil_div(elements, pieces), members) * members);
}

}  // namespace mtf::spmd
