#include "io/write_file.h"

#include <unistd.h>

#include <array>

#include "io/partial_file.h"

namespace mtf::io {
namespace {

using Parts = std::span<const std::span<const std::byte>>;

void write_to_stream(const WriteTarget& target, Parts parts, const WriteFailure& failure) {
  const int file = open_stream(target, failure);
  try {
    for (const std::span<const std::byte> part : parts) write_all(file, part, failure);
  } catch (...) {
    close(file);
    throw;
  }
  if (close(file) != 0) failure.because_of_errno();
}

}  // namespace

void write_file_atomically(const std::string& path, Parts parts, const std::function<void()>& before_replacing) {
  const WriteFailure failure(path);
  if (const WriteTarget target = find_write_target(path, failure); target.is_stream) {
    if (before_replacing) before_replacing();
    return write_to_stream(target, parts, failure);
  }
  PartialFile partial(path);
  for (const std::span<const std::byte> part : parts) write_all(partial.descriptor(), part, failure);
  if (fsync(partial.descriptor()) != 0) failure.because_of_errno();
  if (before_replacing) before_replacing();
  partial.take_place();
}

void write_file_atomically(const std::string& path, std::string_view text,
                           const std::function<void()>& before_replacing) {
  const std::array<std::span<const std::byte>, 1> parts = {std::as_bytes(std::span(text))};
  write_file_atomically(path, parts, before_replacing);
}

}  // namespace mtf::io
