// The keys that edit.
#include "line_editor/editing.h"

#include <algorithm>

#include "line_editor/characters.h"

namespace mtf::line_editor {
namespace {

constexpr std::string_view kOpening = "([{", kClosing = ")]}";
constexpr std::size_t kStep = 2;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

// The indentation of a line after `line`: the same, or one step more if more brackets open than close in it.
std::size_t indentation_after(std::string_view line) {
  const std::size_t indentation = std::min(line.find_first_not_of(' '), line.size());
  int depth = 0, opened = 0;
  for (const char letter : line) {
    if (kOpening.find(letter) != std::string_view::npos) ++depth, ++opened;
    if (kClosing.find(letter) != std::string_view::npos && opened > 0) --depth;
  }
  return depth > 0 ? indentation + kStep : indentation;
}

}  // namespace

Editing::Result Editing::run() {
  draw(false);
  while (true) {
    const Key key = terminal_.read_key();
    if (const std::optional<Result> result = press(key)) {
      draw(true);
      terminal_.write(*result == Result::kInterrupted ? "^C\r\n" : "\r\n");
      return *result;
    }
    if (!terminal_.has_input()) draw(false);
  }
}

std::optional<Editing::Result> Editing::press(const Key& key) {
  if (key.code == kHangup) return Result::kEnd;
  if (key.code == kResize) {
    terminal_.write(screen_.clear(terminal_.size().columns));
    return std::nullopt;
  }
  message_.clear();
  if (key.code != ctrl('D')) asked_to_leave_ = false;
  if ((search_ && press_in_search(key)) || (menu_ && press_in_menu(key))) return std::nullopt;
  return edit(key);
}

std::optional<Editing::Result> Editing::edit(const Key& key) {
  using Unit = EditBuffer::Unit;
  EditBuffer& b = buffer_;
  switch (key.code) {
    case kText: type(key.text); break;
    case kPaste: b.insert(key.text); break;
    case '\r':
    case '\n': return enter(false);
    case kAlt + '\r':
    case kAlt + '\n': return enter(true);
    case '\t': complete(); break;
    case ctrl('C'):
      if (!b.text().empty()) return Result::kInterrupted;
      message_ = options_.how_to_leave;
      break;
    case ctrl('D'):
      if (b.cursor() == b.text().size()) return end_of_input();
      [[fallthrough]];
    case kDelete: b.replace(b.cursor(), b.right(Unit::kCharacter), ""); break;
    case 127:
    case ctrl('H'): b.replace(b.left(Unit::kCharacter), b.cursor(), ""); break;
    case kLeft:
    case ctrl('B'): b.move_to(b.left(Unit::kCharacter)); break;
    case kRight:
    case ctrl('F'):
      if (!take_suggestion(false)) b.move_to(b.right(Unit::kCharacter));
      break;
    case kHome:
    case ctrl('A'): b.move_to(b.left(Unit::kLine)); break;
    case kEnd:
    case ctrl('E'):
      if (!take_suggestion(false)) b.move_to(b.right(Unit::kLine));
      break;
    case kLeft + kControl:
    case kLeft + kAlt:
    case kAlt + 'b': b.move_to(b.left(Unit::kWord)); break;
    case kRight + kControl:
    case kRight + kAlt:
    case kAlt + 'f':
      if (!take_suggestion(true)) b.move_to(b.right(Unit::kWord));
      break;
    case kHome + kControl:
    case kAlt + '<': b.move_to(0); break;
    case kEnd + kControl:
    case kAlt + '>': b.move_to(b.text().size()); break;
    case kUp:
    case ctrl('P'): up_or_down(-1, false); break;
    case kDown:
    case ctrl('N'): up_or_down(1, false); break;
    case kPageUp:
    case kUp + kAlt:
    case kUp + kControl:
    case kAlt + 'p': up_or_down(-1, true); break;
    case kPageDown:
    case kDown + kAlt:
    case kDown + kControl:
    case kAlt + 'n': up_or_down(1, true); break;
    case ctrl('K'):
      b.kill(b.cursor(), b.right(b.cursor() == b.right(Unit::kLine) ? Unit::kCharacter : Unit::kLine));
      break;
    case ctrl('U'): b.kill(b.left(Unit::kLine), b.cursor()); break;
    case ctrl('W'):
    case kAlt + 127:
    case kAlt + ctrl('H'): b.kill(b.left(Unit::kWord), b.cursor()); break;
    case kAlt + 'd': b.kill(b.cursor(), b.right(Unit::kWord)); break;
    case ctrl('Y'): b.yank(); break;
    case ctrl('T'): b.transpose(); break;
    case ctrl('_'): b.undo(); break;
    case kAlt + '_': b.redo(); break;
    case ctrl('R'): search_ = Search{"", b.text(), std::nullopt}; break;
    case ctrl('L'):
      terminal_.write("\x1b[H\x1b[2J");
      screen_.forget();
      break;
    case ctrl('Z'):
      terminal_.write(screen_.clear(terminal_.size().columns));
      raw_.suspend();
      break;
    default: break;
  }
  return std::nullopt;
}

std::optional<Editing::Result> Editing::enter(bool other_way) {
  if (options_.is_complete(buffer_.text()) != other_way) return Result::kEntry;
  new_line();
  return std::nullopt;
}

std::optional<Editing::Result> Editing::end_of_input() {
  if (buffer_.text().empty() || asked_to_leave_) return Result::kEnd;
  asked_to_leave_ = true;
  message_ = options_.is_unfinished;
  return std::nullopt;
}

void Editing::new_line() {
  const std::size_t indentation = indentation_after(buffer_.line_before_cursor());
  std::size_t end = buffer_.cursor();  // the indentation replaces blanks after the cursor
  while (end < buffer_.text().size() && buffer_.text()[end] == ' ') ++end;
  buffer_.replace(buffer_.cursor(), end, "\n" + std::string(indentation, ' '));
}

void Editing::type(std::string_view text) {
  const std::string_view before = buffer_.line_before_cursor();
  if (text.size() == 1 && kClosing.find(text[0]) != std::string_view::npos && before.size() >= kStep &&
      is_blank(before)) {
    const std::size_t begin = buffer_.cursor() - before.size();  // a closing bracket is one step further left
    const std::string_view above = std::string_view(buffer_.text()).substr(0, begin - std::min<std::size_t>(begin, 1));
    const std::size_t follows = indentation_after(above.substr(above.rfind('\n') + 1));
    if (before.size() == follows) buffer_.replace(buffer_.cursor() - kStep, buffer_.cursor(), "");
  }
  buffer_.insert(text);
}

void Editing::up_or_down(int direction, bool whole_entries) {
  if (!whole_entries && buffer_.move_line(direction)) return;
  if (direction < 0 && at_ > 0) recall(at_ - 1, false);
  if (direction > 0 && at_ < history_.size()) recall(at_ + 1, true);
}

// The cursor is placed so that the next step in this direction leaves the entry.
void Editing::recall(std::size_t index, bool from_above) {
  edited_[at_] = buffer_.text();
  at_ = index;
  const auto left = edited_.find(index);
  const std::string text = left != edited_.end() ? left->second : history_[index];
  buffer_.reset(text, from_above ? text.size() : std::min(text.find('\n'), text.size()));
}

// The continuation of the newest entry of history that begins like this one.
std::string Editing::suggestion() const {
  if (!has_styles()) return {};  // without a dim style it would look like typed text
  const std::string& text = buffer_.text();
  if (is_blank(text) || buffer_.cursor() != text.size() || menu_ || search_) return {};
  const std::optional<std::size_t> found = history_.newest(text, history_.size(), true);
  return found ? history_[*found].substr(text.size()) : "";
}

bool Editing::take_suggestion(bool one_word) {
  const std::string rest = suggestion();
  if (rest.empty()) return false;
  const std::size_t cursor = buffer_.cursor();
  buffer_.insert(rest);
  if (one_word) {
    buffer_.move_to(cursor);
    const std::size_t end = buffer_.right(EditBuffer::Unit::kWord);
    buffer_.replace(end, buffer_.text().size(), "");
    buffer_.move_to(end);
  }
  return true;
}

}  // namespace mtf::line_editor
