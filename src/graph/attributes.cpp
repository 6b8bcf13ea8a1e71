#include "graph/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "graph/op.h"
#include "support/diagnostics.h"
#include "types/key.h"
#include "types/sharding.h"
#include "types/text_reader.h"

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

void read(TextReader& reader, const Member&, bool& value) {
  value = reader.take("true");
  if (!value && !reader.take("false")) reader.fail("`true` or `false`");
}
void read(TextReader& reader, const Member&, int64_t& value) {
  value = reader.integer(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
}
void read(TextReader& reader, const Member& member, uint8_t& value) {
  const auto at = std::find(member.words.begin(), member.words.end(), reader.peek());
  if (at == member.words.end()) reader.fail(fmt::format("one of {}", fmt::join(member.words, ", ")));
  reader.expect(*at);
  value = static_cast<uint8_t>(at - member.words.begin());
}
void read(TextReader& reader, const Member&, ElementType& value) { value = read_element_type(reader); }
void read(TextReader& reader, const Member& member, Name& value) {
  value = reader.dim_name(fmt::format("the name behind `{}`", member.label));
}
void read(TextReader& reader, const Member&, Dim& value) { value = read_split_dim(reader, nullptr).dim; }

template <typename T>
void read_list(TextReader& reader, const Member& member, std::vector<T>& list) {
  list.clear();
  reader.expect("[");
  while (!reader.take("]")) {
    if (!list.empty()) reader.expect(",");
    read(reader, member, list.emplace_back());
  }
}
void read(TextReader& reader, const Member& member, Names& value) {
  if (reader.peek() == "[") read_list(reader, member, value);
  else read(reader, member, value.emplace_back());
}
void read(TextReader& reader, const Member& member, Integers& value) { read_list(reader, member, value); }
void read(TextReader& reader, const Member& member, Dims& value) { read_list(reader, member, value); }
void read(TextReader& reader, const Member& member, TensorType& value) {
  read(reader, member, value.element);
  read(reader, member, value.dims);
}

/// True at the end of the line, or at the bracket that closes the attributes.
bool is_end(const TextReader& reader) { return reader.at_end() || reader.peek() == ")"; }

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

/// True for a member that a text need not have: a flag, a word, or an integer with a word, which is 0 then.
static bool may_be_left_out(const Member& member) {
  return member.type == MemberType::kFlag || member.type == MemberType::kWord || !member.words.empty();
}

std::string to_string(const Attributes& attributes) {
  std::string text, behind_arrow;
  attributes.visit([&](const Member& member, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const bool&> || std::is_same_v<decltype(value), const uint8_t&>)
      if (!value) return;
    if constexpr (std::is_same_v<decltype(value), const int64_t&>)
      if (value == 0 && may_be_left_out(member)) return;
    if (member.label == kArrow) behind_arrow = fmt::format("{} {}", kArrow, text_of(member, value));
    else text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", member.label, text_of(member, value));
  });
  return text + (text.empty() || behind_arrow.empty() ? "" : " ") + behind_arrow;
}

Attributes read_attributes(const Op& op, TextReader& reader) {
  if (op.attributes == nullptr) {
    if (!is_end(reader)) reader.fail(fmt::format("no attributes of {}", op.name));
    return {};
  }
  const AttributesForm& form = *op.attributes;
  const std::shared_ptr<void> record = form.make();
  std::vector<bool> given(form.members.size());
  while (!is_end(reader)) {
    const bool arrow = reader.take(kArrow);
    const auto at = std::find_if(form.members.begin(), form.members.end(), [&](const Member& member) {
      return member.label == (arrow ? kArrow : reader.peek());
    });
    if (at == form.members.end()) reader.fail(fmt::format("a label of {}", op.name));
    if (!arrow) reader.expect(at->label), reader.expect(":");
    visit_member(*at, record.get(), [&](const Member& member, auto& value) { read(reader, member, value); });
    given[static_cast<size_t>(at - form.members.begin())] = true;
    if (is_end(reader)) break;
    if (reader.peek() != kArrow) reader.expect(",");
    if (is_end(reader)) reader.fail("a label");
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const Member& member = form.members[i];
    if (!given[i] && !may_be_left_out(member)) reader.fail(fmt::format("`{}` of {}", member.label, op.name));
  }
  return {form, record};
}

Attributes read_attributes(const Op& op, std::string_view text) {
  const auto file = SourceFile::create("attributes", std::string(text));
  TextReader reader(*file);
  try {
    reader.next_line();
    Attributes attributes = read_attributes(op, reader);
    reader.expect_end();
    return attributes;
  } catch (const UserError& error) { throw std::invalid_argument(error.diagnostic().label()); }
}

}  // namespace mtf::graph
