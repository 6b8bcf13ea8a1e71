#include "run/shared_memory.h"

namespace mtf::run {

SharedMemory::SharedMemory(Transport& transport) : transport_(transport) {
  if (transport.may_share_memory()) notices_ = share_files(transport, kNotices * static_cast<int64_t>(sizeof(Notice)));
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
  std::byte* const notices = notices_[static_cast<size_t>(transport_.place_here(rank))].data();
  return reinterpret_cast<Notice*>(notices)[collective % kNotices];
}

}  // namespace mtf::run
