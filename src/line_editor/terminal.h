#pragma once
// A terminal: its mode, its size, and the keys that its bytes stand for.
#include <signal.h>

#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mtf::line_editor {

/// What was pressed: a control character (`ctrl('A')`, '\r', 27, 127), or one of these, with kAlt and kControl added
/// where those were held.
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
  kResize,  ///< no key: the terminal has another size
  kHangup,  ///< no key: there will be no more
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

  /// Both ends are a terminal that understands where a cursor is to go (TERM is neither empty nor `dumb`).
  bool can_edit() const;
  bool is_typed() const;
  struct Size {
    std::size_t rows, columns;
  };
  Size size() const;

  /// The next key; waits for it. Only in RawMode.
  Key read_key();
  /// There is input that read_key has not given yet.
  bool has_input();
  /// A line without its end, of an input that is no terminal, or of one in its usual mode; nothing at the end.
  /// `interrupted`: a signal came first.
  std::optional<std::string> read_line(bool& interrupted);
  void write(std::string_view bytes);

 private:
  friend class RawMode;
  enum { kNone = -1, kClosed = -2, kResized = -3, kSignal = -4 };
  int next_byte(int milliseconds);  // or one of those above; -1 milliseconds: until there is one
  bool fill();
  Key escape_sequence();
  Key control_sequence();
  Key pasted();
  std::string characters(int first);

  int in_, out_, resized_ = -1;     // resized_: where RawMode's handler of signals writes
  bool waits_for_signals_ = false;  // RawMode lets them come only while a key is waited for, under this mask
  sigset_t while_waiting_{};
  std::string buffer_;
  std::size_t at_ = 0;
};

/// While it is there, the terminal gives every byte as it is typed, and brackets what is pasted. However this ends, by
/// an exception, exit() or a signal, the terminal is as it was before. One at a time.
class RawMode {
 public:
  explicit RawMode(Terminal& terminal);
  ~RawMode();
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;

  /// Stops the process as Ctrl-Z does in the usual mode; returns when it goes on.
  void suspend();

 private:
  void enter();
  Terminal& terminal_;
  termios before_{};
};

}  // namespace mtf::line_editor
