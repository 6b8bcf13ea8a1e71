#include "run/mailboxes.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "run/transport.h"
#include "support/diagnostics.h"
#include "support/integers.h"

namespace mtf::run {
namespace {

// Bytes of a ring. If there are few ranks, all rings together have at most some megabytes, so that they stay in a
// cache.
constexpr int64_t kAllRings = 4 << 20, kSmallestRing = 16 << 10, kLargestRing = 256 << 10;
constexpr int64_t kMessagesInRing = 4;  // of the greatest length

}  // namespace

/// A ring with the total numbers of bytes written and read.
struct Mailboxes::Ring {
  alignas(64) std::atomic<int64_t> written;
  alignas(64) std::atomic<int64_t> read;
  alignas(64) std::byte data[1];  // has capacity_ bytes
};

Mailboxes::Mailboxes(Transport& transport) {
  const int64_t ranks = transport.ranks_here();
  if (ranks < 2) return;
  capacity_ = std::clamp(static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(kAllRings / (ranks * ranks)))),
                         kSmallestRing, kLargestRing);
  const int64_t step = round_up(static_cast<int64_t>(offsetof(Ring, data)) + capacity_, alignof(Ring));
  files_ = share_files(transport, step * ranks);
  if (files_.empty()) return;
  longest_ = capacity_ / kMessagesInRing;
  const int me = transport.place_here(transport.rank());
  peers_.resize(static_cast<size_t>(ranks));
  const auto ring = [&](int of, int from) {
    return reinterpret_cast<Ring*>(files_[static_cast<size_t>(of)].data() + step * from);
  };
  for (int p = 0; p < ranks; ++p) {
    peers_[static_cast<size_t>(p)].out = ring(p, me);
    peers_[static_cast<size_t>(p)].in = ring(me, p);
  }
}

void Mailboxes::copy_in(Ring& ring, int64_t at, const void* data, int64_t bytes) const {
  const int64_t slot = at & (capacity_ - 1), first = std::min(bytes, capacity_ - slot);
  std::memcpy(ring.data + slot, data, static_cast<size_t>(first));
  if (first < bytes)
    std::memcpy(ring.data, static_cast<const std::byte*>(data) + first, static_cast<size_t>(bytes - first));
}

void Mailboxes::copy_out(const Ring& ring, int64_t at, void* data, int64_t bytes) const {
  const int64_t slot = at & (capacity_ - 1), first = std::min(bytes, capacity_ - slot);
  std::memcpy(data, ring.data + slot, static_cast<size_t>(first));
  if (first < bytes) std::memcpy(static_cast<std::byte*>(data) + first, ring.data, static_cast<size_t>(bytes - first));
}

bool Mailboxes::send(int slot, int tag, const void* data, int64_t bytes) {
  Peer& to = peers_[static_cast<size_t>(slot)];
  const int64_t end = to.written + static_cast<int64_t>(sizeof(Header)) + round_up(bytes, sizeof(Header));
  if (end - to.freed > capacity_) {
    to.freed = to.out->read.load(std::memory_order_acquire);
    if (end - to.freed > capacity_) return false;
  }
  const Header header{tag, bytes};
  std::memcpy(to.out->data + (to.written & (capacity_ - 1)), &header, sizeof header);  // a header never wraps around
  copy_in(*to.out, to.written + static_cast<int64_t>(sizeof header), data, bytes);
  to.written = end;
  to.out->written.store(end, std::memory_order_release);
  return true;
}

bool Mailboxes::has_come(Peer& from) const {
  if (from.come == from.read) from.come = from.in->written.load(std::memory_order_acquire);
  return from.come != from.read;
}

Mailboxes::Header Mailboxes::next(const Peer& from) const {
  Header header;
  std::memcpy(&header, from.in->data + (from.read & (capacity_ - 1)), sizeof header);
  return header;
}

void Mailboxes::end_reading(Peer& from, int64_t bytes) const {
  from.read += static_cast<int64_t>(sizeof(Header)) + round_up(bytes, sizeof(Header));
  from.in->read.store(from.read, std::memory_order_release);
}

bool Mailboxes::receive(int slot, int tag, void* data, int64_t bytes) {
  Peer& from = peers_[static_cast<size_t>(slot)];
  const auto early = std::find_if(from.early.begin(), from.early.end(), [&](const Early& e) { return e.tag == tag; });
  if (early != from.early.end()) {
    MTF_CHECK(static_cast<int64_t>(early->data.size()) == bytes, "a message of {} bytes where {} are awaited",
              early->data.size(), bytes);
    std::memcpy(data, early->data.data(), static_cast<size_t>(bytes));
    from.early.erase(early);
    return true;
  }
  for (; has_come(from); set_aside(from)) {
    const Header header = next(from);
    if (header.tag != tag) continue;
    MTF_CHECK(header.bytes == bytes, "a message of {} bytes where {} are awaited", header.bytes, bytes);
    copy_out(*from.in, from.read + static_cast<int64_t>(sizeof header), data, bytes);
    end_reading(from, bytes);
    return true;
  }
  return false;
}

void Mailboxes::set_aside(Peer& from) const {
  const Header header = next(from);
  Early early{header.tag, std::vector<std::byte>(static_cast<size_t>(header.bytes))};
  copy_out(*from.in, from.read + static_cast<int64_t>(sizeof header), early.data.data(), header.bytes);
  end_reading(from, header.bytes);
  from.early.push_back(std::move(early));
}

void Mailboxes::make_room() {
  for (Peer& from : peers_) {
    from.come = from.in->written.load(std::memory_order_acquire);
    if (from.come - from.read <= capacity_ / 2) continue;
    while (has_come(from)) set_aside(from);
  }
}

}  // namespace mtf::run
