#include "io/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "io/io_error.h"
#include "support/platform.h"

namespace mtf::io {
namespace {

constexpr std::string_view kBegins = ".mtf-", kEnds = ".partial";
constexpr std::string_view kEnding = "the process was asked to end";
constexpr time_t kLongUntouched = 24 * 60 * 60;

// ---- what signals remove: a handler can be given nothing, nor allocate ----------------------------------------------

struct Slot {
  std::atomic<pid_t> owner = 0;  // forked processes do not own it; -1: being filled
  char name[PATH_MAX] = {};
};

std::array<Slot, 16> slots;
std::atomic<pid_t> ending = 0;  // the process that makes no more partial files

/// Returns -1 if there is no free slot. After a signal, the next writer then removes the file.
int remember(const std::string& name) {
  if (name.size() >= sizeof Slot::name) return -1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    pid_t free = 0;
    if (!slots[i].owner.compare_exchange_strong(free, -1)) continue;
    std::memcpy(slots[i].name, name.c_str(), name.size() + 1);
    slots[i].owner.store(getpid());
    return static_cast<int>(i);
  }
  return -1;
}

// ---- those whose writers no longer live -----------------------------------------------------------------------------

/// The beginning of file names of the running system. A host runs one system at a time, and all processes of a system
/// see the same locks.
std::string beginning_here() { return fmt::format("{}{}-", kBegins, name_of_running_system()); }

/// Removes a file if its writer is no longer alive. `now` is the file system's time.
void remove_orphan(const std::string& name, bool is_of_this_system, time_t now) {
  const int file = open(name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat state {};
  const bool is_free = fstat(file, &state) == 0 && S_ISREG(state.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0;
  if (is_free && (is_of_this_system || now - state.st_mtime > kLongUntouched)) unlink(name.c_str());
  close(file);
}

void remove_orphans(const std::filesystem::path& folder, int file_there) {
  struct stat state {};
  if (fstat(file_there, &state) != 0) return;
  const std::string here = beginning_here();
  std::error_code error;
  std::vector<std::string> names;
  for (auto at = std::filesystem::directory_iterator(folder, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kBegins) && name.ends_with(kEnds)) names.push_back(name);
  }
  for (const std::string& name : names)
    remove_orphan((folder / name).string(), here.size() > kBegins.size() + 1 && name.starts_with(here), state.st_mtime);
}

// ---- making them ----------------------------------------------------------------------------------------------------

std::uint64_t random_number(const WriteFailure& failure) {
  std::uint64_t number = 0;
  if (!fill_with_random_bytes(std::as_writable_bytes(std::span(&number, 1)))) failure.because_of_errno();
  return number;
}

/// Locks the file. Returns false if the file is lost: another process may have taken it for an orphan before it was
/// locked. Without support for locks, no process takes it.
bool lock(int file) {
  struct stat state {};
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return fstat(file, &state) == 0 && state.st_nlink > 0;
}

void keep_owner_and_mode(int file, const struct stat& before, const WriteFailure& failure) {
  if (fchown(file, before.st_uid, before.st_gid) != 0 && errno != EPERM && errno != EINVAL && errno != ENOSYS)
    failure.because_of_errno();
  if (fchmod(file, before.st_mode & 07777) != 0) failure.because_of_errno();
}

/// A renaming is on the disk only after its folder is. Ignores file systems that cannot synchronize folders.
void synchronize_folder(const std::filesystem::path& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

void remove_partial_files() noexcept {
  const int before = errno;
  ending = getpid();
  for (const Slot& slot : slots)
    if (slot.owner.load() == getpid()) unlink(slot.name);
  errno = before;
}

PartialFile::PartialFile(const std::string& path)
    : path_(path), target_(find_write_target(path_, WriteFailure(path_))) {
  std::error_code error;
  folder_ = target_.is_stream                ? std::filesystem::temp_directory_path(error)
            : target_.path.has_parent_path() ? target_.path.parent_path()
                                             : ".";
  if (error) WriteFailure(path_).because("there is no folder for temporary files: " + error.message());
  try {
    make();
    remove_orphans(folder_, descriptor_);
    if (target_.before) keep_owner_and_mode(descriptor_, *target_.before, WriteFailure(path_));
  } catch (...) {
    forget();
    throw;
  }
}

PartialFile::~PartialFile() { forget(); }

void PartialFile::make() {
  const WriteFailure failure(path_);
  const mode_t mode = target_.before || target_.is_stream ? 0600 : 0666;
  for (int iteration = 0; iteration < 100; ++iteration) {
    name_ = (folder_ / fmt::format("{}{:016x}{}", beginning_here(), random_number(failure), kEnds)).string();
    slot_ = remember(name_);
    descriptor_ = open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor_ < 0) {
      const int error = errno;
      name_.clear();
      forget();
      if (error != EEXIST) failure.because(fmt::format("no file can be made in its folder ({})", std::strerror(error)));
    } else if (ending.load() == getpid()) {  // a signal may have come before the file existed
      forget();
      failure.because(kEnding);
    } else if (lock(descriptor_)) {
      return;
    } else {
      forget();
    }
  }
  failure.because("no free name was found in its folder");
}

void PartialFile::forget() {
  if (!name_.empty()) unlink(name_.c_str());
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].owner.store(0);
  if (descriptor_ >= 0) close(descriptor_);
  name_.clear();
  slot_ = descriptor_ = -1;
}

void PartialFile::copy_to_stream() const {
  const WriteFailure failure(path_);
  const int stream = open_stream(target_, failure);
  try {
    std::vector<std::byte> bytes(std::size_t{1} << 20);
    for (off_t place = 0;;) {
      const ssize_t size = pread(descriptor_, bytes.data(), bytes.size(), place);
      if (size < 0) failure.because_of_errno();
      if (size == 0) break;
      write_all(stream, std::span(bytes).first(static_cast<std::size_t>(size)), failure);
      place += size;
    }
  } catch (...) {
    close(stream);
    throw;
  }
  if (close(stream) != 0) failure.because_of_errno();
}

void PartialFile::take_place() {
  const WriteFailure failure(path_);
  if (target_.is_stream) {
    copy_to_stream();
    return forget();
  }
  if (fsync(descriptor_) != 0) failure.because_of_errno();
  if (rename(name_.c_str(), target_.path.c_str()) != 0) {
    // Only a signal that ends the process removes the file.
    if (errno == ENOENT && access(folder_.c_str(), F_OK) == 0) failure.because(kEnding);
    failure.because_of_errno();
  }
  name_.clear();  // nothing to remove
  forget();
  synchronize_folder(folder_);
}

}  // namespace mtf::io
