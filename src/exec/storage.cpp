#include "exec/storage.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "schedule/pack.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {

namespace {
/// Smaller blocks than this come from the allocator as fast.
constexpr int64_t kSmallestKept = 1024;
}  // namespace

struct MemoryPool::Kept {
  std::map<int64_t, std::vector<std::byte*>> free;  // by size
  int64_t bytes = 0;
  int64_t most = 0;  // what was ever live: no more than that is kept
};

MemoryPool::MemoryPool() : kept_(std::make_unique<Kept>()) {}
MemoryPool::~MemoryPool() { trim(); }

void MemoryPool::trim() {
  for (auto& [bytes, blocks] : kept_->free)
    for (std::byte* block : blocks) std::free(block);
  kept_->free.clear();
  kept_->bytes = 0;
}

std::shared_ptr<Storage> MemoryPool::allocate(int64_t bytes, int64_t alone_bytes) {
  return std::make_shared<Storage>(shared_from_this(), std::max<int64_t>(64, padded(bytes)), alone_bytes);
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
  pool_->live_ += bytes_;
  pool_->alone_live_ += alone_bytes_;
  pool_->alone_peak_ = std::max(pool_->alone_peak_, pool_->alone_live_);
  kept.most = std::max(kept.most, pool_->live_);
}

Storage::~Storage() {
  MemoryPool::Kept& kept = *pool_->kept_;
  pool_->live_ -= bytes_;
  pool_->alone_live_ -= alone_bytes_;
  if (data_ != nullptr && bytes_ >= kSmallestKept && pool_->live_ + kept.bytes + bytes_ <= kept.most) {
    kept.free[bytes_].push_back(data_);
    kept.bytes += bytes_;
  } else {
    std::free(data_);
  }
}

int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word)
    if (int64_t kib = 0; word == "MemAvailable:" && file >> kib) return kib * 1024;
  return INT64_MAX;
}

void check_memory(Transport& transport, int64_t bytes, Span span) {
  const int64_t needed = transport.sum_here(std::max<int64_t>(0, bytes));
  if (needed < (64 << 20)) return;  // not worth reading a file
  const int64_t there = transport.min_here(available_memory());
  if (needed <= there) return;
  const std::string where = transport.ranks_here() > 1 ? fmt::format(" on the {} ranks of this machine", transport.ranks_here()) : "";
  fail(Diagnostic(Kind::out_of_memory, span,
                  fmt::format("needs {}{}, {} are available", bytes_text(needed), where, bytes_text(there)))
           .help("split a large dimension over more processors, or run with fewer ranks on this machine"));
}

}  // namespace mtf
