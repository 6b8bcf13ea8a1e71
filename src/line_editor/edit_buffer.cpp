#include "line_editor/edit_buffer.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "line_editor/characters.h"

namespace mtf::line_editor {
namespace {

bool is_of_word(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) != 0 || byte == '_' || byte >= 0x80;
}

}  // namespace

void EditBuffer::reset(std::string text, std::size_t cursor) {
  text_ = std::move(text);
  done_.clear();
  undone_.clear();
  move_to(cursor);
}

void EditBuffer::move_to(std::size_t cursor) {
  cursor_ = std::min(cursor, text_.size());
  last_ = Last::kOther;
}

void EditBuffer::replace(std::size_t begin, std::size_t end, std::string_view with) {
  if (begin == end && with.empty()) return;
  const bool is_typed = begin == end && with.size() == 1 && with[0] != '\n';
  const bool goes_on = is_typed && last_ == Last::kTyped && (!is_of_word(with[0]) || is_of_word(text_[begin - 1]));
  if (goes_on) {
    done_.back().inserted += with;
  } else {
    done_.push_back({begin, text_.substr(begin, end - begin), std::string(with), cursor_});
  }
  undone_.clear();
  text_.replace(begin, end - begin, with);
  move_to(begin + with.size());
  if (is_typed) last_ = Last::kTyped;
}

bool EditBuffer::undo() {
  if (done_.empty()) return false;
  Edit edit = std::move(done_.back());
  done_.pop_back();
  text_.replace(edit.at, edit.inserted.size(), edit.removed);
  move_to(edit.cursor);
  undone_.push_back(std::move(edit));
  return true;
}

bool EditBuffer::redo() {
  if (undone_.empty()) return false;
  Edit edit = std::move(undone_.back());
  undone_.pop_back();
  text_.replace(edit.at, edit.removed.size(), edit.inserted);
  move_to(edit.at + edit.inserted.size());
  done_.push_back(std::move(edit));
  return true;
}

std::size_t EditBuffer::left(Unit unit) const {
  std::size_t at = cursor_;
  switch (unit) {
    case Unit::kCharacter: return previous(text_, at);
    case Unit::kWord:
      while (at > 0 && !is_of_word(text_[at - 1])) --at;
      while (at > 0 && is_of_word(text_[at - 1])) --at;
      return at;
    case Unit::kLine: return at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;  // npos + 1 is 0
    case Unit::kText: return 0;
  }
  return at;
}

std::size_t EditBuffer::right(Unit unit) const {
  std::size_t at = cursor_;
  switch (unit) {
    case Unit::kCharacter: return next(text_, at);
    case Unit::kWord:
      while (at < text_.size() && !is_of_word(text_[at])) ++at;
      while (at < text_.size() && is_of_word(text_[at])) ++at;
      return at;
    case Unit::kLine: return std::min(text_.find('\n', at), text_.size());
    case Unit::kText: return text_.size();
  }
  return at;
}

bool EditBuffer::move_line(int direction) {
  const std::size_t begin = left(Unit::kLine), end = right(Unit::kLine);
  if (direction < 0 ? begin == 0 : end == text_.size()) return false;
  const auto width = [&](std::size_t at) { return static_cast<std::size_t>(character_at(text_, at).width); };
  if (last_ != Last::kMovedLine) {
    column_ = 0;
    for (std::size_t at = begin; at < cursor_; at += character_at(text_, at).size) column_ += width(at);
  }
  move_to(direction < 0 ? begin - 1 : end + 1);
  const std::size_t last = right(Unit::kLine);
  std::size_t at = left(Unit::kLine), column = 0;
  while (at < last && column + width(at) <= column_) {
    column += width(at);
    at = next(text_, at);
  }
  move_to(at);
  last_ = Last::kMovedLine;
  return true;
}

void EditBuffer::kill(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const std::string taken = text_.substr(begin, end - begin);
  killed_ = last_ != Last::kKilled ? taken : begin < cursor_ ? taken + killed_ : killed_ + taken;
  replace(begin, end, "");
  last_ = Last::kKilled;
}

void EditBuffer::transpose() {
  if (cursor_ == left(Unit::kLine)) return;
  if (cursor_ == right(Unit::kLine)) move_to(left(Unit::kCharacter));
  const std::size_t begin = left(Unit::kCharacter), end = right(Unit::kCharacter);
  if (begin == cursor_ || text_[begin] == '\n') return;
  replace(begin, end, text_.substr(cursor_, end - cursor_) + text_.substr(begin, cursor_ - begin));
}

std::string_view EditBuffer::line_before_cursor() const {
  const std::size_t begin = left(Unit::kLine);
  return std::string_view(text_).substr(begin, cursor_ - begin);
}

}  // namespace mtf::line_editor
