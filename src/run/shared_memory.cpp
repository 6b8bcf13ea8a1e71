#include "run/shared_memory.h"

namespace mtf::run {

SharedMemory::SharedMemory(Transport& transport, bool wanted) : transport_(transport) {
  if (transport.ranks_here() < 2 || transport.min_here(wanted) == 0) return;
  place_.assign(static_cast<size_t>(transport.ranks()), -1);
  const std::vector<int64_t> ranks = transport.gather_here({transport.rank()});
  for (size_t i = 0; i < ranks.size(); ++i) place_[static_cast<size_t>(ranks[i])] = static_cast<int>(i);
  notices_ = share_files(transport, kNotices * static_cast<int64_t>(sizeof(Notice)));
}

SharedMemory::~SharedMemory() = default;

bool SharedMemory::reserve(int64_t bytes) {
  if (!is_there()) return bytes == 0;
  bytes = -transport_.min_here(-bytes);
  if (bytes <= bytes_) return true;
  std::vector<SharedFile> parts = share_files(transport_, bytes);
  if (parts.empty()) return false;
  parts_ = std::move(parts);
  bytes_ = bytes;
  return true;
}

SharedMemory::Notice& SharedMemory::notice(int rank, int64_t collective) const {
  std::byte* const notices = notices_[static_cast<size_t>(place_[static_cast<size_t>(rank)])].data();
  return reinterpret_cast<Notice*>(notices)[collective % kNotices];
}

}  // namespace mtf::run
