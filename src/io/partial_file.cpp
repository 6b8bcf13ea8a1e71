#include "io/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "io/io_error.h"

namespace mtf {
namespace {

std::uint64_t random_number(const WriteFailure& failure) {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) failure.because_of_errno();
  return number;
}

}  // namespace

void WriteFailure::because(std::string_view reason) const { throw IoError(IoError::Kind::kUnwritable, path_, fmt::format("cannot be written: {}", reason)); }

void WriteFailure::because_of_errno() const { because(std::strerror(errno)); }

NewFile make_partial(const std::filesystem::path& folder, mode_t mode, const WriteFailure& failure) {
  for (int i = 0; i < 100; ++i) {
    std::filesystem::path path = folder / fmt::format(".mtf-{:016x}.partial", random_number(failure));
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file >= 0) return {std::move(path), file};
    if (errno != EEXIST) failure.because(fmt::format("no file can be made in its folder ({})", std::strerror(errno)));
  }
  failure.because("no free name was found in its folder");
}

void synchronize_folder(const std::filesystem::path& folder) {
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace mtf
