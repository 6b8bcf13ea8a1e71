#include "tool/lsp/text_document.h"

#include <algorithm>

namespace mtf::tool {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// UTF-16 code units of the character that begins with this byte of UTF-8.
std::size_t units(char first) { return static_cast<unsigned char>(first) >= 0xF0 ? 2 : 1; }

}  // namespace

TextDocument::TextDocument(std::string text) : text_(std::move(text)) { find_lines(); }

void TextDocument::find_lines() {
  line_starts_ = {0};
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
}

std::size_t TextDocument::line_end(std::size_t line) const {
  if (line + 1 >= line_starts_.size()) return text_.size();
  std::size_t end = line_starts_[line + 1] - 1;
  if (end > line_starts_[line] && text_[end - 1] == '\r') --end;
  return end;
}

std::size_t TextDocument::offset(EditorPosition position) const {
  if (position.line >= line_starts_.size()) return text_.size();
  std::size_t at = line_starts_[position.line];
  const std::size_t end = line_end(position.line);
  for (std::size_t unit = 0; at < end && unit < position.character;) {
    unit += units(text_[at]);
    do ++at;
    while (at < end && continues(text_[at]));
  }
  return at;
}

EditorPosition TextDocument::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - line_starts_.begin() - 1;
  EditorPosition position{static_cast<std::size_t>(line), 0};
  for (std::size_t at = line_starts_[position.line]; at < offset; ++at)
    if (!continues(text_[at])) position.character += units(text_[at]);
  return position;
}

void TextDocument::replace(std::size_t begin, std::size_t end, const std::string& by) {
  begin = std::min(begin, text_.size());
  text_.replace(begin, std::clamp(end, begin, text_.size()) - begin, by);
  find_lines();
}

EarlierText::EarlierText(const std::string& then, const std::string& now)
    : then_size_(then.size()), now_size_(now.size()) {
  const std::size_t most = std::min(then.size(), now.size());
  while (prefix_ < most && then[prefix_] == now[prefix_]) ++prefix_;
  while (suffix_ < most - prefix_ && then[then.size() - 1 - suffix_] == now[now.size() - 1 - suffix_]) ++suffix_;
}

std::size_t EarlierText::move(std::size_t at, std::size_t from_size, std::size_t to_size) const {
  if (at <= prefix_) return at;
  return at + suffix_ >= from_size ? at + to_size - from_size : npos;
}

std::size_t EarlierText::then(std::size_t now) const { return move(now, now_size_, then_size_); }
std::size_t EarlierText::now(std::size_t then) const { return move(then, then_size_, now_size_); }

}  // namespace mtf::tool
