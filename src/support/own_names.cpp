#include "support/own_names.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <vector>

namespace mtf {
namespace {

constexpr std::string_view kOwner = "::";       // behind the owner, in a settled text
constexpr std::string_view kComment = "   # ";  // begins a remark in the text of a stage

bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_word(char c) { return begins_word(c) || (c >= '0' && c <= '9') || c == '\'' || c == '.'; }

// A word of a text, with the owner and statement of an own name.
struct Word {
  std::string_view plain, owner, statement;
  bool is_own = false;
  bool may_be_dim = false;  // as in half=2, `half`, [half, d], half -> rows, 2·half
};

// Iterates over the words of a text.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  // Advances to the next word. between() is the text before it. Returns false at the end of the text.
  bool next(Word& word) {
    const size_t from = at_;
    while (at_ < text_.size() && !begins_word(text_[at_])) ++at_;
    between_ = text_.substr(from, at_ - from);
    const size_t line = between_.rfind('\n');
    if (line != std::string_view::npos) in_comment_ = false;
    in_comment_ = in_comment_ ||
                  between_.substr(line == std::string_view::npos ? 0 : line).find(kComment) != std::string_view::npos;
    if (at_ == text_.size()) return false;
    const size_t begin = at_;
    while (at_ < text_.size() && is_in_word(text_[at_])) ++at_;
    word = {text_.substr(begin, at_ - begin), {}, {}, false, false};
    if (at_ < text_.size() && text_[at_] == kOwnNameMark) {
      word.is_own = true;
      ++at_;
      word.owner = part();
      word.statement = part();
      return true;
    }
    while (word.plain.ends_with('.')) word.plain.remove_suffix(1);  // the end of a sentence
    at_ = begin + word.plain.size();
    const std::string_view before = text_.substr(0, begin), behind = text_.substr(at_);
    const auto any = [](std::initializer_list<std::string_view> signs, auto&& is) {
      return std::any_of(signs.begin(), signs.end(), is);
    };
    // Remarks in the text of a stage are sentences.
    word.may_be_dim = !in_comment_ &&
                      (any({"`", "[", "·"}, [&](std::string_view sign) { return before.ends_with(sign); }) ||
                       any({"`", "=", "/", ",", "]", "·", " ->"}, [&](auto sign) { return behind.starts_with(sign); }));
    return true;
  }
  std::string_view between() const { return between_; }

 private:
  std::string_view part() {
    const size_t end = std::min(text_.find(kOwnNameMark, at_), text_.size());
    const std::string_view part = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return part;
  }

  std::string_view text_, between_;
  size_t at_ = 0;
  bool in_comment_ = false;
};

// The replacements for dims with one plain name: the owner, with a number if the owner has several such dims.
struct Meeting {
  bool has_plain = false;
  std::vector<std::pair<std::string_view, std::string_view>> own;  // owner and statement, without repetition
};

std::string_view without_primes(std::string_view name) { return name.substr(0, name.find('\'')); }

}  // namespace

void settle(std::span<std::string* const> texts) {
  if (std::none_of(texts.begin(), texts.end(),
                   [](const std::string* text) { return text->find(kOwnNameMark) != std::string::npos; }))
    return;
  std::map<std::string_view, Meeting> meetings;
  std::vector<std::string> before;
  before.reserve(texts.size());
  for (std::string* text : texts) before.push_back(std::move(*text));
  for (const std::string& text : before) {
    Word word;
    for (Words words(text); words.next(word);) {
      Meeting& meeting = meetings[without_primes(word.plain)];
      meeting.has_plain = meeting.has_plain || word.may_be_dim;
      const std::pair own(word.owner, word.statement);
      if (word.is_own && std::find(meeting.own.begin(), meeting.own.end(), own) == meeting.own.end())
        meeting.own.push_back(own);
    }
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string& text = *texts[i];
    text.clear();
    Word word;
    Words words(before[i]);
    while (words.next(word)) {
      text += words.between();
      const Meeting& meeting = meetings[without_primes(word.plain)];
      if (word.is_own && (meeting.has_plain || meeting.own.size() > 1)) {
        size_t number = 0;
        for (const auto& own : meeting.own) {
          if (own.first == word.owner) ++number;
          if (own == std::pair(word.owner, word.statement)) break;
        }
        text += word.owner;
        if (number > 1) text += "." + std::to_string(number);
        text += kOwner;
      }
      text += word.plain;
    }
    text += words.between();
  }
}

std::string settled(std::string text) {
  std::string* const alone[] = {&text};
  settle(alone);
  return text;
}

Name name_from_settled(std::string_view text) {
  const size_t at = text.find(kOwner);
  if (at == std::string_view::npos) return Name(text);
  return Name::own(text.substr(at + kOwner.size()), text.substr(0, at), {});
}

}  // namespace mtf
