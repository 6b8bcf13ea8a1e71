#include "io/event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "io/write_target.h"

namespace mtf::io {
namespace {

constexpr std::uint32_t kCastagnoli = 0x82f63b78;  // reversed
constexpr std::uint32_t kMaskDelta = 0xa282ead8;

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kCastagnoli : 0);
    table[byte] = rest;
  }
  return table;
}

/// Returns an integer as little-endian bytes.
template <typename Integer>
std::string bytes_of(Integer number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof number; ++i) bytes += static_cast<char>((number >> (8 * i)) & 0xff);
  return bytes;
}

// The fields of a message, as protocol buffers write them: a key with the number and the wire type, then the value.
std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}
std::string key(int field, int wire_type) { return varint(static_cast<std::uint64_t>(field) << 3 | wire_type); }
std::string integer_field(int field, std::int64_t number) {
  return key(field, 0) + varint(static_cast<std::uint64_t>(number));
}
std::string double_field(int field, double number) {
  return key(field, 1) + bytes_of(std::bit_cast<std::uint64_t>(number));
}
std::string bytes_field(int field, std::string_view bytes) {
  return key(field, 2) + varint(bytes.size()) + std::string(bytes);
}
std::string float_field(int field, float number) {
  return key(field, 5) + bytes_of(std::bit_cast<std::uint32_t>(number));
}

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
  crc = ~crc;
  return std::rotr(crc, 15) + kMaskDelta;
}

EventFile::EventFile(const std::string& folder) {
  const WriteFailure failure(folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) failure.because("the folder cannot be made: " + error.message());
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  const std::string name =
      fmt::format("events.out.tfevents.{}.{}.{}", static_cast<std::int64_t>(wall_time()), host, getpid());
  for (int number = 0; path_.empty() || std::filesystem::exists(path_, error); ++number)
    path_ = (std::filesystem::path(folder) / fmt::format("{}.{}", name, number)).string();
  file_.open(path_, std::ios::binary);
  if (!file_) failure.because_of_errno();
  add_record(double_field(1, wall_time()) + bytes_field(3, "brain.Event:2"));
}

void EventFile::add(std::int64_t step, const std::vector<std::pair<std::string, double>>& numbers) {
  constexpr std::int64_t kStart = 1;  // SessionLog.SessionStatus
  if (!has_begun_)
    add_record(double_field(1, wall_time()) + integer_field(2, step) + bytes_field(7, integer_field(1, kStart)));
  has_begun_ = true;
  std::string summary;
  for (const auto& [tag, number] : numbers)
    summary += bytes_field(1, bytes_field(1, tag) + float_field(2, static_cast<float>(number)));
  add_record(double_field(1, wall_time()) + integer_field(2, step) + bytes_field(5, summary));
}

void EventFile::add_record(const std::string& event) {
  const std::string length = bytes_of(static_cast<std::uint64_t>(event.size()));
  file_ << length << bytes_of(masked_crc32c(length)) << event << bytes_of(masked_crc32c(event)) << std::flush;
  const WriteFailure failure(path_);
  if (!file_) failure.because_of_errno();
}

}  // namespace mtf::io
