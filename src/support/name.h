#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mtf {

// An interned identifier: four bytes, equality is one comparison, and the text lives as long as the
// process. Two Names are equal exactly if their texts are. A default Name is the empty text.
//
// A dim that a function or model declares for itself has an *own* name. Its text is the name as written, behind which
// stand the function and the statement, between signs that no script can hold: support/own_names.h removes them from
// what people read. So two dims called `half` differ, while layouts, paths and files go by the plain name.
//
// The table of texts is the one global of the program that grows; it is only ever added to, and any
// thread may do so.
class Name {
 public:
  Name() = default;
  Name(std::string_view text);                                     // NOLINT: a text is a name wherever one is asked for
  Name(const std::string& text) : Name(std::string_view(text)) {}  // NOLINT
  Name(const char* text) : Name(std::string_view(text)) {}         // NOLINT

  // The own name of the dim that the function or model `owner` declares as `plain`, in the statement `statement`.
  static Name own(std::string_view plain, std::string_view owner, std::string_view statement);

  std::string_view text() const;
  std::string str() const { return std::string(text()); }
  bool empty() const { return id_ == 0; }
  std::uint32_t id() const { return id_; }

  // The name as it is written in the program: of an own name without its owner; of any other name itself.
  Name plain() const;
  // The plain name with `suffix` behind it, of the same owner.
  Name followed_by(std::string_view suffix) const;

  bool operator==(const Name&) const = default;
  // By text, so that what is sorted prints the same in every run.
  bool operator<(const Name& other) const { return text() < other.text(); }

 private:
  std::uint32_t id_ = 0;
};

// Stands behind the plain name, the owner and the statement in the text of an own name.
inline constexpr char kOwnNameMark = '\x1f';

}  // namespace mtf

template <>
struct std::hash<mtf::Name> {
  std::size_t operator()(const mtf::Name& name) const noexcept { return std::hash<std::uint32_t>()(name.id()); }
};
