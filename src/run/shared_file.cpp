#include "run/shared_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/transport.h"
#include "support/platform.h"

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

/// Returns a number that identifies a file. In another container a process number may belong to another process, so the
/// file is checked.
int64_t identity(int file) {
  struct stat found;
  return file >= 0 && fstat(file, &found) == 0 ? static_cast<int64_t>(found.st_ino ^ (found.st_dev << 40)) : -1;
}

}  // namespace

SharedFile::SharedFile(int file, int64_t bytes) : bytes_(bytes) {
  void* const at =
      file < 0 ? MAP_FAILED : mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return;
  prefer_large_pages(at, static_cast<size_t>(bytes));  // if the system has them for files in memory
  data_ = static_cast<std::byte*>(at);
}

SharedFile::~SharedFile() {
  if (data_ != nullptr) munmap(data_, static_cast<size_t>(bytes_));
}

std::vector<SharedFile> share_files(Transport& transport, int64_t bytes) {
  constexpr size_t kNumbers = 3;
  const File own(make_file_in_memory(bytes));
  const std::vector<int64_t> all = transport.gather_here({getpid(), own.number(), identity(own.number())});
  std::vector<SharedFile> files;
  bool have_all = true;
  for (size_t i = 0; i < all.size() / kNumbers; ++i) {
    const int64_t *const file = &all[i * kNumbers], process = file[0], number = file[1];
    const File theirs(number < 0 ? -1 : open_file_of_process(process, static_cast<int>(number)));
    files.push_back(identity(theirs.number()) == file[2] ? SharedFile(theirs.number(), bytes) : SharedFile());
    have_all = have_all && files.back().data() != nullptr;
  }
  if (transport.min_here(have_all) == 0) files.clear();  // a barrier too: all ranks have opened this rank's file
  return files;
}

}  // namespace mtf::run
