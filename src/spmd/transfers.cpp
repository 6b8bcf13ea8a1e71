#include "spmd/transfers.h"

#include <algorithm>

#include "spmd/block_bounds.h"
#include "spmd/work.h"
#include "support/diagnostics.h"
#include "types/saturating.h"

namespace mtf::spmd {
namespace {

/// Returns the size at which intervals of `to` wrap around in `from`, or 0.
int64_t wrap_of(const LocalDim& from, const LocalDim& to) {
  return to.mapped && to.map.wrap && !(from.mapped && from.map.wrap) ? to.map.to : 0;
}

int64_t size_of_all(const std::vector<Segment>& segments) {
  int64_t size = 0;
  for (const Segment& segment : segments) size += segment.size;
  return size;
}

}  // namespace

Transfers::Transfers(const LocalValue& from, const LocalValue& to, Sources sources, AxisSet axes)
    : from_(from), to_(to), mesh_(*from.mesh), sources_(sources), axes_(axes) {
  MTF_CHECK(from.dims.size() == to.dims.size(), "{} and {} have different dims", from.name, to.name);
  if (sources == Sources::kPermuted) permutation_.emplace(from, to);
  for (size_t d = 0; d < from.dims.size(); ++d) {
    const int64_t wrap = wrap_of(from.dims[d], to.dims[d]);
    holders_.emplace_back(from.dims[d], mesh_, axes, wrap);
    readers_.emplace_back(to.dims[d], mesh_, axes, wrap);
    all_.push_back(d);
  }
}

std::vector<Segment> Transfers::shared_parts(size_t d, Interval held, Interval needed) const {
  return overlap(held, needed, wrap_of(from_.dims[d], to_.dims[d]));
}

/// Returns the processors whose blocks meet the box of `value` at `at`, ascending. Their coordinates equal `at` except
/// along `varying`.
std::vector<int64_t> Transfers::meeting(const std::vector<DimIndex>& blocks, AxisSet varying, const Coordinates& at,
                                        const LocalValue& value) const {
  Coordinates base = at;
  for (int a = 0; a < mesh_.order(); ++a)
    if (varying & axis_bit(a)) base[static_cast<size_t>(a)] = 0;
  std::vector<int64_t> processors = {mesh_.processor(base)};
  for (size_t d = 0; d < blocks.size(); ++d) {
    const std::vector<int64_t> offsets = blocks[d].meeting(at, bounds(value.dims[d], mesh_, at));
    if (offsets.size() == 1 && offsets[0] == 0) continue;
    std::vector<int64_t> next;
    next.reserve(processors.size() * offsets.size());
    for (int64_t processor : processors)
      for (int64_t offset : offsets) next.push_back(processor + offset);
    processors = std::move(next);
  }
  std::sort(processors.begin(), processors.end());
  return processors;
}

std::vector<int64_t> Transfers::sources_of(int64_t processor) const {
  if (sources_ == Sources::kOwn) return {processor};
  if (permutation_) return {permutation_->source(processor)};
  return meeting(holders_, axes_ & from_.varies(), mesh_.coordinates(processor), to_);
}

std::vector<int64_t> Transfers::readers_of(int64_t processor) const {
  if (sources_ == Sources::kOwn) return {processor};
  if (permutation_) return {permutation_->reader(processor)};
  const AxisSet varying = axes_ & to_.varies();
  std::vector<int64_t> readers;
  for (int64_t reader : meeting(readers_, varying, mesh_.coordinates(processor), from_))
    for (int64_t replica : mesh_.group(reader, axes_ & ~varying)) readers.push_back(replica);
  return readers;
}

/// Counts along some dims, as if the value had no others.
Sent Transfers::sent_by(const Coordinates& at, const std::vector<size_t>& dims) const {
  if (sources_ == Sources::kOwn) return {};
  if (permutation_) {
    const int64_t own = mesh_.processor(at);
    return permutation_->reader(own) == own ? Sent{} : Sent{elements_at(from_, at), 1, {}};
  }
  int64_t kept = 1, read = mesh_.group_size(axes_ & ~to_.varies()), readers = read;
  for (size_t d : dims) {
    const Interval held = bounds(from_.dims[d], mesh_, at);
    const DimIndex::Met met = readers_[d].met(at, held);
    read = saturating_multiply(read, met.elements);
    readers = saturating_multiply(readers, met.blocks);
    kept = saturating_multiply(kept, size_of_all(shared_parts(d, held, bounds(to_.dims[d], mesh_, at))));
  }
  return {read - kept, readers - (kept > 0 ? 1 : 0), {}};
}

/// Returns the size of the largest block that moves when axes change positions. The owner of this block is first along
/// all of these axes but one, unless all blocks have one size.
Sent Transfers::most_permuted() const {
  Sent most{0, 1, Cost(block_elements(from_))};
  for (int axis = 0; axis < mesh_.order(); ++axis) {
    if (!(axes_ & axis_bit(axis))) continue;
    Coordinates at{};
    at[static_cast<size_t>(axis)] = 1;
    most.elements = std::max(most.elements, elements_at(from_, at));
  }
  if (most.formula.value() != most.elements) most.formula = Cost(Product{most.elements, 1, {}});
  return most;
}

Sent Transfers::most_sent() const {
  if (sources_ == Sources::kOwn) return {};
  if (permutation_) return most_permuted();
  // No axis splits two dims, so dims that do not change only multiply what is sent.
  Product product;
  int64_t times = 1;
  std::vector<size_t> changed;
  std::vector<const LocalDim*> blocks;
  for (size_t d : all_) {
    const LocalDim &from = from_.dims[d], &to = to_.dims[d];
    if (from == to) {
      product.factors.push_back(block_factor(from, mesh_));
      times = saturating_multiply(times, largest_block(from, mesh_));
    } else {
      changed.push_back(d);
      blocks.push_back(&from);
      blocks.push_back(&to);
    }
  }
  Sent most;
  const auto look = [&](const Coordinates& at) {
    const Sent sent = sent_by(at, changed);
    most.elements = std::max(most.elements, sent.elements);
    most.messages = std::max(most.messages, sent.messages);
  };
  if (changed.size() == 1 && blocks[0]->axes == blocks[1]->axes) {
    for (int64_t position : busy_senders(*blocks[0], *blocks[1], mesh_))
      look(coordinates_of(*blocks[0], mesh_, position));
  } else {
    for (const Coordinates& at : different_blocks(blocks, mesh_)) look(at);
  }
  product.numerator = most.elements;
  return {saturating_multiply(most.elements, times), most.messages, Cost(std::move(product))};
}

Rounds rounds_of(const LocalValue& from, const LocalValue& to, AxisSet axes) {
  constexpr int64_t kLeast = 1 << 20, kLeastOfMessage = 64 << 10;  // bytes of a round, and of a message in it
  int64_t bytes = size_of(to.element);
  for (const LocalDim& dim : to.dims) bytes = saturating_multiply(bytes, largest_block(dim, *to.mesh));
  const int64_t wanted = std::min(Rounds::kMost, bytes / std::max(kLeast, kLeastOfMessage * to.mesh->group_size(axes)));
  Rounds rounds;
  for (const int8_t d : to.order) {  // the outer dims first: a round of them is contiguous
    const LocalDim& dim = from.dims[static_cast<size_t>(d)];
    if (!(dim == to.dims[static_cast<size_t>(d)]) || dim.mapped || (dim.axes.set() & axes)) continue;
    const int64_t block = std::max<int64_t>(largest_block(dim, *from.mesh), 1);
    const int64_t size = ceil_div(block, std::max<int64_t>(wanted, 1));
    if (ceil_div(block, size) > rounds.count()) rounds = {static_cast<size_t>(d), block, size};
    if (2 * rounds.count() > wanted) break;
  }
  return rounds;
}

int64_t most_sent(const LocalDim& from, const LocalDim& to, const Mesh& mesh) {
  const DimIndex readers(to, mesh, to.axes.set(), wrap_of(from, to));
  int64_t most = 0;
  for (int64_t position : busy_senders(from, to, mesh)) {
    const Coordinates at = coordinates_of(from, mesh, position);
    const Interval held = bounds(from, mesh, at);
    const int64_t kept = size_of_all(overlap(held, bounds(to, mesh, at), wrap_of(from, to)));
    most = std::max(most, readers.met(at, held).elements - kept);
  }
  return most;
}

}  // namespace mtf::spmd
