#include "run/shared_memory.h"

#include <algorithm>
#include <cstring>

namespace mtf::run {

SharedMemory::SharedMemory(Transport& transport) : transport_(transport) {
  if (transport.may_share_memory()) notices_ = share_files(transport, kNotices * static_cast<int64_t>(sizeof(Notice)));
  if (!transport.has_several_nodes()) return;
  std::vector<int64_t> lacks{transport.ranks_here() > 1 && !is_there()};
  transport.max_of_all(lacks);
  is_on_all_nodes_ = lacks[0] == 0;
}

SharedMemory::~SharedMemory() = default;

bool SharedMemory::reserve(int64_t bytes) {
  std::vector<int64_t> lacks{!reserve_here(bytes)};
  if (is_on_all_nodes_) transport_.max_of_all(lacks);
  return lacks[0] == 0;
}

bool SharedMemory::reserve_here(int64_t bytes) {
  if (!is_there()) return bytes == 0;
  bytes = -transport_.min_here(-bytes);
  if (bytes <= bytes_) return true;
  std::vector<SharedFile> parts = share_files(transport_, bytes);
  if (parts.empty()) return false;
  parts_ = std::move(parts);
  bytes_ = bytes;
  return true;
}

std::byte* SharedMemory::in_own_part(const std::byte* memory) const {
  std::byte* const own = part(transport_.rank());
  const auto distance = reinterpret_cast<std::uintptr_t>(memory) - reinterpret_cast<std::uintptr_t>(own);
  return distance < static_cast<std::uintptr_t>(bytes_) ? own + distance : nullptr;
}

SharedMemory::Notice& SharedMemory::notice(int rank, int64_t collective) const {
  std::byte* const notices = notices_[static_cast<size_t>(transport_.place_here(rank))].data();
  return reinterpret_cast<Notice*>(notices)[collective % kNotices];
}

void copy_for_others(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t kLine = 64, kAhead = 2 << 10;
  const auto ask = [&](size_t begin) {
    for (size_t at = begin; at < std::min(begin + kAhead, bytes); at += kLine) __builtin_prefetch(to + at, 1);
  };
  ask(0);
  for (size_t done = 0; done < bytes; done += kAhead) {
    ask(done + kAhead);
    std::memcpy(to + done, from + done, std::min(bytes - done, kAhead));
  }
}

}  // namespace mtf::run
