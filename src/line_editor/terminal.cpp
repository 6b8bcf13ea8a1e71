#include "line_editor/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <span>

#include "support/platform.h"

namespace mtf::line_editor {
namespace {

constexpr int kEscapeWait = 50;     // milliseconds in which the bytes after an escape must follow
constexpr std::size_t kMuch = 100;  // more bytes than anyone types
constexpr int kPasteWait = 5'000;   // an unfinished paste ends after this time

}  // namespace

bool Terminal::is_typed() const { return isatty(in_) != 0; }

bool Terminal::can_edit() const {
  const char* name = std::getenv("TERM");
  return is_typed() && isatty(out_) != 0 && name != nullptr && *name != '\0' && std::string_view(name) != "dumb";
}

Terminal::Size Terminal::size() const {
  winsize size{};
  if (ioctl(out_, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {24, 80};
  return {size.ws_row, size.ws_col};
}

void Terminal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(out_, bytes.data(), bytes.size());
    if (count < 0 && errno == EAGAIN) {
      pollfd room{out_, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (count < 0 && errno != EINTR) {
      return;  // a closed terminal delivers its end next
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
}

bool Terminal::fill() {
  char bytes[65'536];
  const ssize_t count = ::read(in_, bytes, sizeof bytes);
  if (count <= 0) return false;
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

bool Terminal::has_input() {
  pollfd input{in_, POLLIN, 0};
  return at_ < buffer_.size() || poll(&input, 1, 0) > 0;
}

int Terminal::next_byte(int milliseconds) {
  if (at_ == buffer_.size()) {
    pollfd inputs[] = {{in_, POLLIN, 0}, {resized_, POLLIN, 0}};
    const bool is_first = milliseconds < 0;  // a new size waits until a sequence is complete
    const std::span waited = std::span(inputs).first(is_first && resized_ >= 0 ? 2 : 1);
    const int count = poll_with_signals(waited, milliseconds, waits_for_signals_ ? &while_waiting_ : nullptr);
    const bool is_interrupted = count < 0 && errno == EINTR;
    char bytes[64];
    if (is_first && (inputs[1].revents != 0 || is_interrupted) && ::read(resized_, bytes, sizeof bytes) > 0)
      return kResized;
    if (count <= 0) return is_interrupted ? kSignal : count == 0 ? kNone : kClosed;
    if (!fill()) return errno == EINTR ? kSignal : kClosed;
  }
  return static_cast<unsigned char>(buffer_[at_++]);
}

std::optional<std::string> Terminal::read_line(bool& interrupted) {
  std::size_t searched = at_, end;
  while ((end = buffer_.find('\n', searched)) == std::string::npos) {
    searched = buffer_.size() - at_;
    errno = 0;
    if (fill()) continue;
    interrupted = errno == EINTR;
    if (interrupted || at_ == buffer_.size()) return std::nullopt;
    end = buffer_.size();
    break;
  }
  std::string line = buffer_.substr(at_, end - at_);
  at_ = std::min(end + 1, buffer_.size());
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

Key Terminal::read_key() {
  const int byte = next_byte(-1);
  if (byte == kResized) return {kResize};
  if (byte == kSignal) return {ctrl('C')};
  if (byte < 0) return {kHangup};
  if (byte == 27) return escape_sequence();
  if (byte < 32 || byte == 127) return {static_cast<unsigned>(byte)};
  return {kText, characters(byte)};
}

// Reads a character, whose remaining bytes may be late. If much input waits, reads all of it up to a control character.
std::string Terminal::characters(int first) {
  std::string text(1, static_cast<char>(first));
  std::size_t missing = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;
  while (missing > 0 || buffer_.size() - at_ > kMuch) {
    const int byte = next_byte(kEscapeWait);
    if (byte < 0) break;
    if (byte < 32 || byte == 127) {
      --at_;
      break;
    }
    missing = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : missing > 0 && byte >= 0x80 ? missing - 1 : 0;
    text += static_cast<char>(byte);
  }
  return text;
}

Key Terminal::escape_sequence() {
  const int byte = next_byte(kEscapeWait);
  if (byte < 0) return {27};
  if (byte == '[' || byte == 'O') return control_sequence();
  if (byte < 32 && byte != '\r' && byte != '\n' && byte != ctrl('H')) {  // two keys
    --at_;
    return {27};
  }
  return {kAlt + static_cast<unsigned>(byte)};
}

// `ESC [ 1 ; 5 C`: numbers, then a letter for the meaning. `ESC O A` is the same without numbers.
Key Terminal::control_sequence() {
  unsigned numbers[8] = {}, count = 0;
  int byte = next_byte(kEscapeWait);
  for (; byte >= 0x20 && byte < 0x40; byte = next_byte(kEscapeWait)) {
    if (byte == ';') count = std::min(count + 1, 7U);
    if (byte >= '0' && byte <= '9')
      numbers[count] = std::min(numbers[count] * 10 + static_cast<unsigned>(byte - '0'), 0x110000U);
  }
  const auto held = [](unsigned modifiers) {  // 1 + shift 1 + alt 2 + control 4
    return modifiers == 0 ? 0 : ((modifiers - 1) & 2 ? kAlt : 0U) + ((modifiers - 1) & 4 ? kControl : 0U);
  };
  const auto key = [&](unsigned code, unsigned modifiers) -> Key { return {code + held(modifiers)}; };
  switch (byte) {
    case 'A': return key(kUp, numbers[1]);
    case 'B': return key(kDown, numbers[1]);
    case 'C': return key(kRight, numbers[1]);
    case 'D': return key(kLeft, numbers[1]);
    case 'H': return key(kHome, numbers[1]);
    case 'F': return key(kEnd, numbers[1]);
    case 'Z': return {kBackTab};
    case 'M': return {'\r'};
    case 'u': return numbers[0] < 0x80 ? key(numbers[0], numbers[1]) : Key{};
    case '~': break;
    default: return {};
  }
  switch (numbers[0]) {
    case 1:
    case 7: return key(kHome, numbers[1]);
    case 4:
    case 8: return key(kEnd, numbers[1]);
    case 3: return key(kDelete, numbers[1]);
    case 5: return {kPageUp};
    case 6: return {kPageDown};
    case 27: return numbers[2] < 0x80 ? key(numbers[2], numbers[1]) : Key{};
    case 200: return pasted();
    default: return {};
  }
}

Key Terminal::pasted() {
  static constexpr std::string_view kEnd = "\x1b[201~";
  std::string text;
  while (!text.ends_with(kEnd)) {
    const int byte = next_byte(kPasteWait);
    if (byte == kSignal) continue;
    if (byte < 0) break;
    text += static_cast<char>(byte);
  }
  if (text.ends_with(kEnd)) text.resize(text.size() - kEnd.size());
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends_line = text[i] == '\r';
    lines += ends_line ? '\n' : text[i];
    if (ends_line && i + 1 < text.size() && text[i + 1] == '\n') ++i;
  }
  return {kPaste, std::move(lines)};
}

}  // namespace mtf::line_editor
