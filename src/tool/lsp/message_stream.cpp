#include "tool/lsp/message_stream.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "support/text.h"

namespace mtf::tool {
namespace {

constexpr std::size_t kLargestMessage = std::size_t{256} << 20;

}  // namespace

bool MessageStream::fill() {
  char chunk[1 << 16];
  ssize_t size;
  do size = ::read(in_, chunk, sizeof chunk);
  while (size < 0 && errno == EINTR);
  if (size <= 0) return false;
  buffer_.append(chunk, static_cast<std::size_t>(size));
  return true;
}

std::optional<std::string> MessageStream::read_header_line() {
  std::size_t end;
  while ((end = buffer_.find('\n')) == std::string::npos)
    if (buffer_.size() > kLargestMessage || !fill()) return std::nullopt;
  std::string line(trim(std::string_view(buffer_).substr(0, end)));
  buffer_.erase(0, end + 1);
  return line;
}

std::optional<std::string> MessageStream::read() {
  constexpr std::string_view kLength = "Content-Length:";
  std::size_t size = 0;
  bool has_size = false;
  for (auto line = read_header_line(); line; line = read_header_line()) {
    if (line->empty() && has_size) break;
    if (!line->starts_with(kLength)) continue;
    const std::string_view number = trim(std::string_view(*line).substr(kLength.size()));
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), size);
    if (error != std::errc() || size > kLargestMessage) return std::nullopt;
    has_size = true;
  }
  if (!has_size) return std::nullopt;
  while (buffer_.size() < size)
    if (!fill()) return std::nullopt;
  std::string message = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return message;
}

void MessageStream::write(std::string_view message) {
  const std::string framed = fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message);
  const std::lock_guard lock(writing_);
  for (std::size_t done = 0; done < framed.size();) {
    const ssize_t size = ::write(out_, framed.data() + done, framed.size() - done);
    if (size < 0 && errno != EINTR) return;
    if (size > 0) done += static_cast<std::size_t>(size);
  }
}

}  // namespace mtf::tool
