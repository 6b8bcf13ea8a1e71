#include "graph/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "graph/op.h"
#include "support/diagnostics.h"
#include "types/key.h"

namespace mtf::graph {
namespace {

constexpr std::string_view kArrow = "->";

std::string text_of(const Member&, bool value) { return value ? "true" : "false"; }
std::string text_of(const Member&, int64_t value) { return std::to_string(value); }
std::string text_of(const Member& member, uint8_t value) { return std::string(member.words[value]); }
std::string text_of(const Member&, ElementType value) { return std::string(name(value)); }
std::string text_of(const Member&, Name value) { return value.str(); }
std::string text_of(const Member&, const Dim& value) { return to_string(value); }
std::string text_of(const Member&, const Dims& value) { return to_string(value); }
std::string text_of(const Member&, const TensorType& value) { return to_string(value); }
std::string text_of(const Member&, const Integers& value) { return fmt::format("[{}]", fmt::join(value, ", ")); }
std::string text_of(const Member& member, const Names& value) {
  if (value.size() == 1 && member.label != kArrow) return value[0].str();
  std::string text = "[";
  for (Name each : value) text += (text.size() > 1 ? ", " : "") + each.str();
  return text + "]";
}

/// Reads the text of attributes from its beginning on.
class AttributesReader {
 public:
  explicit AttributesReader(std::string_view text) : text_(text), left_(text) {}

  std::string_view left() const { return left_; }
  bool at_end() const { return left_.empty(); }
  bool take(std::string_view what) {
    if (!left_.starts_with(what)) return false;
    left_.remove_prefix(what.size());
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) fail(fmt::format("`{}`", what));
  }
  /// Up to what ends a name, a number or a word.
  std::string_view word() {
    const std::string_view found = left_.substr(0, left_.find_first_of(" ,:=[]()"));
    if (found.empty()) fail("a word");
    left_.remove_prefix(found.size());
    return found;
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw std::invalid_argument(fmt::format("expected {}, found `{}` in the attributes `{}`", expected,
                                            left_.empty() ? "their end" : left_, text_));
  }

  void read(const Member&, bool& value) {
    if (take("true")) value = true;
    else if (take("false")) value = false;
    else fail("`true` or `false`");
  }
  void read(const Member&, int64_t& value) {
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc()) fail("an integer");
    left_.remove_prefix(static_cast<size_t>(end - left_.data()));
  }
  void read(const Member& member, uint8_t& value) {
    const auto before = left_;
    const auto at = std::find(member.words.begin(), member.words.end(), word());
    if (at == member.words.end()) (left_ = before, fail(fmt::format("one of {}", fmt::join(member.words, ", "))));
    value = static_cast<uint8_t>(at - member.words.begin());
  }
  void read(const Member&, ElementType& value) {
    const auto before = left_;
    const auto found = parse_element_type(word());
    if (!found) (left_ = before, fail("an element type"));
    value = *found;
  }
  void read(const Member&, Name& value) { value = Name(word()); }
  void read(const Member& member, Dim& value) {
    value.name = Name(word());
    expect("=");
    read(member, value.size);
  }
  void read(const Member& member, Names& value) {
    if (left_.starts_with("[")) read_list(member, value);
    else value = {Name(word())};
  }
  void read(const Member& member, Integers& value) { read_list(member, value); }
  void read(const Member& member, Dims& value) { read_list(member, value); }
  void read(const Member& member, TensorType& value) {
    read(member, value.element);
    read(member, value.dims);
  }

 private:
  template <typename T>
  void read_list(const Member& member, std::vector<T>& list) {
    list.clear();
    expect("[");
    while (!take("]")) {
      if (!list.empty()) expect(", ");
      read(member, list.emplace_back());
    }
  }

  const std::string_view text_;
  std::string_view left_;
};

}  // namespace

void Attributes::fail_get() { MTF_CHECK(false, "attributes of another operation"); }

bool Attributes::operator==(const Attributes& other) const {
  if (form_ != other.form_ || form_ == nullptr) return form_ == other.form_;
  return record_ == other.record_ ||
         std::all_of(form_->members.begin(), form_->members.end(), [&](const Member& member) {
           bool equal = false;
           visit_member(member, record_.get(), [&](const Member&, const auto& value) {
             equal = value == *static_cast<decltype(&value)>(member.at(other.record_.get()));
           });
           return equal;
         });
}

void append(std::string& key, const Attributes& attributes) {
  attributes.visit([&](const Member&, const auto& value) { mtf::append(key, value); });
}

std::string to_string(const Attributes& attributes) {
  std::string text, behind_arrow;
  attributes.visit([&](const Member& member, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const bool&> || std::is_same_v<decltype(value), const uint8_t&>)
      if (!value) return;
    if (member.label == kArrow) behind_arrow = fmt::format("{} {}", kArrow, text_of(member, value));
    else text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", member.label, text_of(member, value));
  });
  return text + (text.empty() || behind_arrow.empty() ? "" : " ") + behind_arrow;
}

Attributes read_attributes(const Op& op, std::string_view text) {
  AttributesReader reader(text);
  if (op.attributes == nullptr) {
    if (!reader.at_end()) reader.fail(fmt::format("none of {}", op.name));
    return {};
  }
  const AttributesForm& form = *op.attributes;
  const std::shared_ptr<void> record = form.make();
  std::vector<bool> given(form.members.size());
  while (!reader.at_end()) {
    const bool arrow = reader.take(kArrow);
    const std::string_view label = arrow ? kArrow : reader.word();
    const auto at = std::find_if(form.members.begin(), form.members.end(),
                                 [&](const Member& member) { return member.label == label; });
    if (at == form.members.end()) reader.fail(fmt::format("another label than `{}` of {}", label, op.name));
    reader.expect(arrow ? " " : ": ");
    visit_member(*at, record.get(), [&](const Member& member, auto& value) { reader.read(member, value); });
    given[static_cast<size_t>(at - form.members.begin())] = true;
    if (reader.at_end()) break;
    if (!reader.take(", ") && !(reader.left().starts_with(" ->") && reader.take(" "))) reader.fail("`, `");
    if (reader.at_end()) reader.fail("a label");
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const Member& member = form.members[i];
    if (!given[i] && member.type != MemberType::kFlag && member.type != MemberType::kWord)
      reader.fail(fmt::format("`{}` of {}", member.label, op.name));
  }
  return {form, record};
}

}  // namespace mtf::graph
