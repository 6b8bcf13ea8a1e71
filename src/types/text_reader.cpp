#include "types/text_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "support/diagnostics.h"
#include "support/own_names.h"
#include "support/printable.h"
#include "support/text.h"

namespace mtf {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_in_name(char c) { return begins_name(c) || is_digit(c) || c == '.' || c == '\''; }

size_t length_of_number(std::string_view text) {
  size_t end = 1;
  while (end < text.size() &&
         (is_in_name(text[end]) || ((text[end] == '-' || text[end] == '+') && text[end - 1] == 'e')))
    ++end;
  return end;
}

/// The length of an index such as `[0]` in the name `blocks[0].w`, or 0.
size_t length_of_place(std::string_view text) {
  if (text[0] != '[') return 0;
  const size_t end = text.find_first_not_of("0123456789", 1);
  return end != std::string_view::npos && end > 1 && text[end] == ']' ? end + 1 : 0;
}

/// The length of the next token. `before` is the preceding character.
size_t length_of_token(std::string_view text, char before) {
  if (text.starts_with("->")) return 2;
  const bool is_signed =
      text.size() > 1 && is_in_name(text[1]) && (text[0] == '-' || (text[0] == '+' && !is_in_name(before)));
  if (is_digit(text[0]) || is_signed) return length_of_number(text);
  if (!begins_name(text[0])) return 1;
  size_t end = 1;
  while (end < text.size()) {
    if (is_in_name(text[end])) ++end;
    else if (text.substr(end).starts_with("::") && end + 2 < text.size() && begins_name(text[end + 2])) end += 2;
    else if (const size_t place = length_of_place(text.substr(end))) end += place;
    else break;
  }
  return end;
}

}  // namespace

bool TextReader::next_line() {
  const std::string_view text = file_.text();
  tokens_.clear();
  at_ = 0;
  while (next_ < text.size() && tokens_.empty()) {
    begin_ = next_;
    const size_t end = std::min(text.find('\n', begin_), text.size());
    next_ = std::min(end + 1, text.size());
    for (std::string_view left = text.substr(begin_, end - begin_); !left.empty() && left[0] != '#';) {
      const size_t blank = std::string_view(" \t\r").find(left[0]) != std::string_view::npos ? 1 : 0;
      const size_t length = blank ? blank : length_of_token(left, left.data() == text.data() ? ' ' : left.data()[-1]);
      if (!blank) tokens_.push_back(left.substr(0, length));
      left.remove_prefix(length);
    }
  }
  return !tokens_.empty();
}

bool TextReader::is_indented() const { return file_.text().find_first_not_of(' ', begin_) - begin_ > margin_; }

Span TextReader::span_of(std::string_view text) const {
  const auto begin = static_cast<std::uint32_t>(text.data() - file_.text().data());
  return {&file_, begin, begin + static_cast<std::uint32_t>(text.size())};
}

Span TextReader::line() const {
  if (tokens_.empty()) return {&file_, static_cast<std::uint32_t>(next_), static_cast<std::uint32_t>(next_)};
  return cover(span_of(tokens_.front()), span_of(tokens_.back()));
}

std::string_view TextReader::peek(size_t ahead) const {
  return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : std::string_view();
}

std::string_view TextReader::behind(std::string_view token) const {
  int depth = 0;
  for (size_t i = at_; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i] == "[" || tokens_[i] == "(") ++depth;
    if (tokens_[i] == "]" || tokens_[i] == ")") --depth;
    if (depth == 0 && tokens_[i] == token) return tokens_[i + 1];
  }
  return {};
}

void TextReader::expect_end() const {
  if (!at_end()) fail("the end of the line");
}

bool TextReader::take(std::string_view token) {
  if (peek() != token) return false;
  ++at_;
  return true;
}

void TextReader::expect(std::string_view token) {
  if (!take(token)) fail(code(token));
}

bool TextReader::take_words(std::initializer_list<std::string_view> words) {
  size_t ahead = 0;
  for (const std::string_view word : words)
    if (peek(ahead++) != word) return false;
  at_ += words.size();
  return true;
}

std::string_view TextReader::name(std::string_view what) {
  if (!is_name()) fail(what);
  return tokens_[at_++];
}

Name TextReader::dim_name(std::string_view what) { return name_from_settled(name(what)); }

bool TextReader::is_name() const { return !at_end() && begins_name(peek()[0]); }

bool TextReader::is_number() const {
  const std::string_view token = peek();
  if (token.empty()) return false;
  return is_digit(token[0]) || ((token[0] == '-' || token[0] == '+') && token != "->" && token.size() > 1);
}

double TextReader::number() {
  std::string_view token = peek();
  double value = 0;
  if (!is_number()) fail("a number");
  if (token[0] == '+') token.remove_prefix(1);
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) fail("a number");
  ++at_;
  return value;
}

int64_t TextReader::integer(int64_t least, int64_t most) {
  const std::string_view token = peek();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (token.empty() || error != std::errc() || end != token.data() + token.size() || value < least || value > most)
    fail(fmt::format("a whole number from {}{}", least,
                     most == std::numeric_limits<int64_t>::max() ? " on" : fmt::format(" to {}", most)));
  ++at_;
  return value;
}

void TextReader::skip_to_closing() {
  int depth = 0;
  for (; !at_end(); ++at_) {
    const std::string_view token = peek();
    if (token == "(" || token == "[") ++depth;
    if ((token == ")" || token == "]") && depth-- == 0) return;
  }
  fail("`)`");
}

Span TextReader::place() const {
  if (!at_end()) return span_of(tokens_[at_]);
  const Span whole = line();
  return {&file_, whole.end, whole.end};
}

void TextReader::fail(std::string_view expected) const {
  const std::string end = tokens_.empty() ? "the end of the text" : "the end of the line";
  const std::string found = at_end() ? end : code(printable(peek()));
  fail_at(place(), "expected {}, found {}", expected, found);
}

void TextReader::fail_at(Span place, const std::string& what) {
  mtf::fail(Diagnostic(Kind::bad_stage_text, place, what));
}

std::string number_text(double number) {
  return fmt::format("{}{}", std::isfinite(number) || number < 0 ? "" : "+", without_sign_of_nan(number));
}

std::vector<std::string> told_apart(std::vector<std::string> names) {
  std::unordered_set<std::string> all(names.begin(), names.end()), taken;
  std::unordered_map<std::string, int> last;
  for (std::string& name : names) {
    if (taken.insert(name).second) continue;
    const std::string base(without_number(name));
    int& number = last.try_emplace(base, 1).first->second;
    std::string other;
    do other = fmt::format("{}'{}", base, ++number);
    while (!all.insert(other).second);
    taken.insert(other);
    name = std::move(other);
  }
  return names;
}

std::string_view without_number(std::string_view name) { return name.substr(0, name.find('\'')); }

}  // namespace mtf
