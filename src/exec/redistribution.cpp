#include "exec/redistribution.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>

#include "kernels/copy.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

int64_t wrap_of(const LocalDim& to, const LocalDim& from) {
  return to.mapped && to.map.wrap && !(from.mapped && from.map.wrap) ? to.map.to : 0;
}

bool is_dense(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides, const std::vector<int64_t>& dense) {
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1 && strides[i] != dense[i]) return false;
  return true;
}

/// The copies that bring what two boxes share from one block to the other.
std::vector<BoxCopy> copies(const LocalValue& from, const BlockShape& a, const LocalValue& to, const BlockShape& b) {
  std::vector<std::vector<Segment>> segments;
  size_t count = 1;
  for (size_t i = 0; i < a.box.size(); ++i) {
    segments.push_back(overlap(a.box[i], b.box[i], wrap_of(to.dims[i], from.dims[i])));
    count *= segments.back().size();
  }
  std::vector<BoxCopy> result;
  int64_t element = size_of(from.element);
  for (size_t n = 0; n < count; ++n) {
    BoxCopy copy;
    copy.element_size = static_cast<int>(element);
    copy.from_strides = a.strides;
    copy.to_strides = b.strides;
    copy.bytes = element;
    size_t rest = n;
    std::vector<Interval> piece;
    for (size_t i = 0; i < segments.size(); ++i) {
      const Segment& s = segments[i][rest % segments[i].size()];
      rest /= segments[i].size();
      copy.sizes.push_back(s.size);
      copy.bytes *= s.size;
      copy.from_offset += s.from * a.strides[i] * element;
      copy.to_offset += s.to * b.strides[i] * element;
      piece.push_back({0, s.size});
    }
    std::vector<int64_t> dense = dense_strides(piece, to.order);
    copy.from_dense = is_dense(copy.sizes, copy.from_strides, dense);
    copy.to_dense = is_dense(copy.sizes, copy.to_strides, dense);
    if (copy.bytes > 0) result.push_back(std::move(copy));
  }
  return result;
}

/// Turns the end that is in the other rank's memory into a dense piece of the message.
void pack_end(BoxCopy& copy, bool sending, int64_t offset, const std::vector<int8_t>& order) {
  std::vector<Interval> piece;
  for (int64_t size : copy.sizes) piece.push_back({0, size});
  std::vector<int64_t> dense = dense_strides(piece, order);
  if (sending) {
    copy.to_place = -1;
    copy.to_offset = offset;
    copy.to_strides = std::move(dense);
  } else {
    copy.from_place = -1;
    copy.from_offset = offset;
    copy.from_strides = std::move(dense);
  }
}

void add_piece(std::map<int, Message>& messages, int peer, BoxCopy copy, bool sending, const std::vector<int8_t>& order) {
  Message& message = messages[peer];
  message.peer = peer;
  int64_t offset = message.bytes;
  message.bytes += copy.bytes;
  pack_end(copy, sending, offset, order);
  message.pieces.push_back(std::move(copy));
}

std::vector<Message> finished(std::map<int, Message>& messages, bool sending, int64_t& staging) {
  std::vector<Message> result;
  for (auto& [peer, message] : messages) {
    const BoxCopy& first = message.pieces[0];
    message.in_place = message.pieces.size() == 1 && (sending ? first.from_dense : first.to_dense);
    if (!message.in_place) {
      message.staging = staging;
      staging += (message.bytes + 63) / 64 * 64;
    }
    result.push_back(std::move(message));
  }
  return result;
}

}  // namespace

std::vector<Segment> overlap(Interval from, Interval to, int64_t wrap) {
  std::vector<Segment> result;
  if (from.size() <= 0 || to.size() <= 0) return result;
  int64_t first_turn = wrap ? floor_div(to.first - from.last, wrap) : 0;
  int64_t last_turn = wrap ? floor_div(to.last - from.first, wrap) : 0;
  for (int64_t turn = first_turn; turn <= last_turn; ++turn) {
    int64_t first = std::max(from.first + turn * wrap, to.first);
    int64_t last = std::min(from.last + turn * wrap, to.last);
    if (first < last) result.push_back({first - turn * wrap - from.first, first - to.first, last - first});
  }
  return result;
}

void run(const BoxCopy& copy, const std::byte* from, std::byte* to) {
  if (copy.from_dense && copy.to_dense) {
    std::memcpy(to + copy.to_offset, from + copy.from_offset, static_cast<size_t>(copy.bytes));
    return;
  }
  copy_block(copy.sizes, copy.element_size, from + copy.from_offset, copy.from_strides, to + copy.to_offset, copy.to_strides);
}

int64_t transposed(const Mesh& mesh, int64_t processor, AxisSet axes) {
  int a = std::countr_zero(axes), b = 31 - std::countl_zero(axes);
  Coordinates coordinates = mesh.coordinates(processor);
  std::swap(coordinates[a], coordinates[b]);
  return mesh.processor(coordinates);
}

Redistribution redistribute(const Hosting& hosting, const LocalValue& from, const LocalValue& to, const Sources& sources,
                            const Sources& readers) {
  MTF_CHECK(from.dims.size() == to.dims.size(), "{} and {} have different dims", from.name, to.name);
  const Mesh& mesh = *hosting.mesh();
  AxisSet from_axes = from.varies(), to_axes = to.varies();
  int me = hosting.rank();
  Redistribution result;
  std::map<int, Message> sends, receives;

  const Places& places = hosting.places(to_axes);
  for (int place = 0; place < places.count(); ++place) {
    int64_t p = hosting.processors()[places.first[place]];
    BlockShape needed = block_at(to, mesh.coordinates(p));
    for (int64_t q : sources(p)) {
      int own = hosting.find_place(me, from_axes, q);
      for (BoxCopy& copy : copies(from, block_at(from, mesh.coordinates(q)), to, needed)) {
        copy.to_place = place;
        if (own >= 0) {
          copy.from_place = own;
          result.local.push_back(std::move(copy));
        } else {
          add_piece(receives, hosting.rank_of(q), std::move(copy), false, to.order);
        }
      }
    }
  }

  if (hosting.ranks() > 1) {
    // In the order in which the receiver meets them: by its place, then by the order of sources(p).
    struct Pair { int peer; int place; size_t order; int64_t p, q; };
    std::vector<Pair> pairs;
    for (int64_t q : hosting.processors())
      for (int64_t p : readers(q)) {
        int peer = hosting.rank_of(p);
        if (peer == me) continue;
        const Places& theirs = hosting.places(peer, to_axes);
        int place = theirs.of[hosting.index_of(p)];
        if (theirs.first[place] != hosting.index_of(p)) continue;
        if (hosting.find_place(peer, from_axes, q) >= 0) continue;
        std::vector<int64_t> order = sources(p);
        pairs.push_back({peer, place, static_cast<size_t>(std::find(order.begin(), order.end(), q) - order.begin()), p, q});
      }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      return std::tie(a.peer, a.place, a.order) < std::tie(b.peer, b.place, b.order);
    });
    for (const Pair& pair : pairs)
      for (BoxCopy& copy : copies(from, block_at(from, mesh.coordinates(pair.q)), to, block_at(to, mesh.coordinates(pair.p)))) {
        copy.from_place = hosting.find_place(me, from_axes, pair.q);
        add_piece(sends, pair.peer, std::move(copy), true, to.order);
      }
  }
  result.sends = finished(sends, true, result.staging_bytes);
  result.receives = finished(receives, false, result.staging_bytes);
  return result;
}

int64_t most_sent(const LocalValue& from, const LocalValue& to, AxisSet axes, bool is_transpose) {
  const Mesh& mesh = *from.mesh;
  if (is_transpose) {
    // Along the other axes processor 0 has the largest block, so one group of both axes is enough.
    int64_t most = 0;
    for (int64_t p : mesh.group(0, axes))
      if (transposed(mesh, p, axes) != p) most = std::max(most, block_at(from, mesh.coordinates(p)).elements);
    return most;
  }
  // The other dims' blocks are the same before and after; along the dim that moves, what each gives the others.
  std::vector<int64_t> group = mesh.group(0, axes);
  int64_t rest = 1, most = 0;
  size_t moving = from.dims.size();
  for (size_t i = 0; i < from.dims.size(); ++i) {
    if (from.dims[i].axes.set() & axes) { moving = i; continue; }
    LocalValue one;
    one.mesh = from.mesh;
    one.dims = {from.dims[i]};
    rest *= most_elements(one);
  }
  if (moving == from.dims.size()) return 0;
  std::vector<Interval> need;
  for (int64_t p : group) need.push_back(bounds(to.dims[moving], mesh, mesh.coordinates(p)));
  int64_t wrap = wrap_of(to.dims[moving], from.dims[moving]);
  for (size_t q = 0; q < group.size(); ++q) {
    Interval own = bounds(from.dims[moving], mesh, mesh.coordinates(group[q]));
    int64_t sent = 0;
    for (size_t p = 0; p < group.size(); ++p)
      if (p != q)
        for (const Segment& s : overlap(own, need[p], wrap)) sent += s.size;
    most = std::max(most, sent);
  }
  return most * rest;
}

}  // namespace mtf
