#include "run/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace mtf::run {
namespace {

/// An open file, or none.
class File {
 public:
  explicit File(int number) : number_(number) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

/// A new file of so many bytes in memory; -1 if it could not be made.
int make_file(int64_t bytes) {
  const int file = memfd_create("mtf", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, bytes) == 0) return file;
  close(file);
  return -1;
}

/// What tells a file from all others: a process of the same number may be another one, as another container counts.
int64_t identity(int file) {
  struct stat found;
  return file >= 0 && fstat(file, &found) == 0 ? static_cast<int64_t>(found.st_ino ^ (found.st_dev << 40)) : -1;
}

}  // namespace

SharedMemory::Mapping::Mapping(int file, int64_t bytes) : bytes_(bytes) {
  void* const at =
      file < 0 ? MAP_FAILED : mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return;
  madvise(at, static_cast<size_t>(bytes), MADV_HUGEPAGE);  // where the system has them for files in memory
  data_ = static_cast<std::byte*>(at);
}

SharedMemory::Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, static_cast<size_t>(bytes_));
}

SharedMemory::SharedMemory(Transport& transport, bool wanted) : transport_(transport) {
  if (transport.ranks_here() < 2 || transport.min_here(wanted) == 0) return;
  place_.assign(static_cast<size_t>(transport.ranks()), -1);
  const std::vector<int64_t> ranks = transport.gather_here({transport.rank()});
  for (size_t i = 0; i < ranks.size(); ++i) place_[static_cast<size_t>(ranks[i])] = static_cast<int>(i);
  notices_ = share(kNotices * static_cast<int64_t>(sizeof(Notice)));
}

SharedMemory::~SharedMemory() = default;

bool SharedMemory::reserve(int64_t bytes) {
  if (!is_there()) return bytes == 0;
  bytes = -transport_.min_here(-bytes);
  if (bytes <= bytes_) return true;
  std::vector<Mapping> parts = share(bytes);
  if (parts.empty()) return false;
  parts_ = std::move(parts);
  bytes_ = bytes;
  return true;
}

std::vector<SharedMemory::Mapping> SharedMemory::share(int64_t bytes) {
  constexpr size_t kNumbers = 3;
  const File own(make_file(bytes));
  const std::vector<int64_t> files = transport_.gather_here({getpid(), own.number(), identity(own.number())});
  std::vector<Mapping> mappings;
  bool all = true;
  for (size_t i = 0; i < files.size() / kNumbers; ++i) {
    const int64_t *const file = &files[i * kNumbers], process = file[0], number = file[1];
    const File theirs(number < 0 ? -1
                                 : open(("/proc/" + std::to_string(process) + "/fd/" + std::to_string(number)).c_str(),
                                        O_RDWR | O_CLOEXEC));
    mappings.push_back(identity(theirs.number()) == file[2] ? Mapping(theirs.number(), bytes) : Mapping());
    all = all && mappings.back().data() != nullptr;
  }
  if (transport_.min_here(all) == 0) mappings.clear();  // now all have opened this rank's, too
  return mappings;
}

SharedMemory::Notice& SharedMemory::notice(int rank, int64_t collective) const {
  std::byte* const notices = notices_[static_cast<size_t>(place_[static_cast<size_t>(rank)])].data();
  return reinterpret_cast<Notice*>(notices)[collective % kNotices];
}

}  // namespace mtf::run
