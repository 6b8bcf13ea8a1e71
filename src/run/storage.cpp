#include "run/storage.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <new>
#include <vector>

#include "schedule/pack.h"

namespace mtf::run {

namespace {
/// The allocator is as fast for smaller blocks.
constexpr int64_t kSmallestKept = 1024;
}  // namespace

struct MemoryPool::Kept {
  std::map<int64_t, std::vector<std::byte*>> free;  // by size
  int64_t bytes = 0;
  int64_t most = 0;  // the largest `live_` so far; live and free bytes together never exceed it
};

MemoryPool::MemoryPool() : kept_(std::make_unique<Kept>()) {}
MemoryPool::~MemoryPool() { trim(); }

void MemoryPool::trim() {
  for (auto& [bytes, blocks] : kept_->free)
    for (std::byte* block : blocks) std::free(block);
  kept_->free.clear();
  kept_->bytes = 0;
}

void MemoryPool::count(int sign, int64_t bytes, int64_t alone_bytes) {
  constexpr int64_t kImmense = int64_t{1} << 50;
  live_ += sign * bytes;
  if (alone_bytes >= kImmense) immense_ += sign;
  else alone_live_ += sign * alone_bytes;
  note_alone(0);
}

std::shared_ptr<Storage> MemoryPool::allocate(int64_t bytes, int64_t alone_bytes) {
  return std::make_shared<Storage>(shared_from_this(), std::max<int64_t>(64, schedule::padded(bytes)), alone_bytes);
}

std::shared_ptr<Storage> MemoryPool::pretend(int64_t alone_bytes) {
  return std::make_shared<Storage>(shared_from_this(), 0, alone_bytes);
}

Storage::Storage(std::shared_ptr<MemoryPool> pool, int64_t bytes, int64_t alone_bytes)
    : pool_(std::move(pool)), bytes_(bytes), alone_bytes_(alone_bytes) {
  MemoryPool::Kept& kept = *pool_->kept_;
  auto at = kept.free.find(bytes_);
  if (bytes_ == 0) {
    // Only counted.
  } else if (at != kept.free.end() && !at->second.empty()) {
    data_ = at->second.back();
    at->second.pop_back();
    kept.bytes -= bytes_;
  } else {
    data_ = static_cast<std::byte*>(std::aligned_alloc(64, static_cast<size_t>(bytes_)));
    if (data_ == nullptr) {
      pool_->trim();
      data_ = static_cast<std::byte*>(std::aligned_alloc(64, static_cast<size_t>(bytes_)));
    }
    if (data_ == nullptr) throw std::bad_alloc();
  }
  pool_->count(1, bytes_, alone_bytes_);
  kept.most = std::max(kept.most, pool_->live_);
}

Storage::~Storage() {
  MemoryPool::Kept& kept = *pool_->kept_;
  pool_->count(-1, bytes_, alone_bytes_);
  if (data_ != nullptr && bytes_ >= kSmallestKept && pool_->live_ + kept.bytes + bytes_ <= kept.most) {
    kept.free[bytes_].push_back(data_);
    kept.bytes += bytes_;
  } else {
    std::free(data_);
  }
}

}  // namespace mtf::run
