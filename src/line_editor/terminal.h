#pragma once
// A terminal: its mode, its size, and the keys that its bytes encode.
#include <signal.h>

#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mtf::line_editor {

/// A pressed key: a control character (`ctrl('A')`, '\r', 27, 127) or one of these codes. kAlt and kControl are added
/// if they were held.
enum KeyCode : unsigned {
  kText = 0x100,  ///< characters, in `Key::text`
  kPaste,         ///< a pasted block, in `Key::text`; its lines end in '\n'
  kUp,
  kDown,
  kLeft,
  kRight,
  kHome,
  kEnd,
  kDelete,
  kPageUp,
  kPageDown,
  kBackTab,
  kResize,  ///< no key: the terminal's size has changed
  kHangup,  ///< no key: the input has ended
  kUnknown,
  kAlt = 0x1000,
  kControl = 0x2000,
};
constexpr unsigned ctrl(char letter) { return static_cast<unsigned char>(letter) & 31U; }

struct Key {
  unsigned code = kUnknown;
  std::string text = {};
};

class Terminal {
 public:
  Terminal(int in, int out) : in_(in), out_(out) {}

  /// True if both ends are a terminal with cursor control (TERM is neither empty nor `dumb`).
  bool can_edit() const;
  bool is_typed() const;
  struct Size {
    std::size_t rows, columns;
  };
  Size size() const;

  /// Waits for the next key. Only in RawMode.
  Key read_key();
  /// True if there is input that read_key has not returned yet.
  bool has_input();
  /// Reads a line, without its end, of a terminal in its usual mode or of another input. Returns nothing at the end.
  /// `interrupted` is set if a signal came first.
  std::optional<std::string> read_line(bool& interrupted);
  void write(std::string_view bytes);

 private:
  friend class RawMode;
  enum { kNone = -1, kClosed = -2, kResized = -3, kSignal = -4 };
  int next_byte(int milliseconds);  // or a code above; -1: waits without limit
  bool fill();
  Key escape_sequence();
  Key control_sequence();
  Key pasted();
  std::string characters(int first);

  int in_, out_, resized_ = -1;     // resized_: RawMode's signal handler writes here
  bool waits_for_signals_ = false;  // RawMode permits signals only while waiting, with this mask
  sigset_t while_waiting_{};
  std::string buffer_;
  std::size_t at_ = 0;
};

/// While an object of this class lives, the terminal delivers every byte at once, and brackets pasted text. The
/// terminal is restored at the end, after an exception, exit() or a signal too. There may be one such object at a time.
class RawMode {
 public:
  explicit RawMode(Terminal& terminal);
  ~RawMode();
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;

  /// Stops the process as Ctrl-Z does in the usual mode. Returns when the process continues.
  void suspend();

 private:
  void enter();
  Terminal& terminal_;
  termios before_{};
};

}  // namespace mtf::line_editor
