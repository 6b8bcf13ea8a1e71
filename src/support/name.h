#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mtf {

// An interned identifier: four bytes, comparison is one instruction, and the text lives as long as the process. Two
// Names are equal exactly if their texts are. A default Name is the empty text.
//
// A dim that a function or model declares for itself has an *own* name. Its text is the name in the script, followed by
// the function and the statement, between signs that no script can contain. support/own_names.h removes them from texts
// for people. So two dims called `half` differ, but layouts, paths and files use the plain name.
//
// The table of texts is the one global of the program that grows. Texts are only added, and any thread may add one.
class Name {
 public:
  Name() = default;
  Name(std::string_view text);                                     // NOLINT: a text is a name wherever one is asked for
  Name(const std::string& text) : Name(std::string_view(text)) {}  // NOLINT
  Name(const char* text) : Name(std::string_view(text)) {}         // NOLINT

  // The own name of the dim `plain` that the function or model `owner` declares in the statement `statement`.
  static Name own(std::string_view plain, std::string_view owner, std::string_view statement);

  std::string_view text() const;
  std::string str() const { return std::string(text()); }
  bool empty() const { return id_ == 0; }
  std::uint32_t id() const { return id_; }

  // The name in the program: an own name without its owner. Any other name is returned unchanged.
  Name plain() const;
  // The plain name with `suffix` appended, of the same owner.
  Name followed_by(std::string_view suffix) const;

  bool operator==(const Name&) const = default;
  // Compares by text, so that sorted output is the same in every run.
  bool operator<(const Name& other) const { return text() < other.text(); }

 private:
  std::uint32_t id_ = 0;
};

// Follows the plain name, the owner and the statement in the text of an own name.
inline constexpr char kOwnNameMark = '\x1f';

}  // namespace mtf

template <>
struct std::hash<mtf::Name> {
  std::size_t operator()(const mtf::Name& name) const noexcept { return std::hash<std::uint32_t>()(name.id()); }
};
