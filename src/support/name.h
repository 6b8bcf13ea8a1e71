#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mtf {

// An interned identifier: four bytes, equality is one comparison, and the text lives as long as the
// process. Two Names are equal exactly if their texts are. A default Name is the empty text.
//
// The table of texts is the one global of the program that grows; it is only ever added to, and any
// thread may do so.
class Name {
 public:
  Name() = default;
  Name(std::string_view text);                                     // NOLINT: a text is a name wherever one is asked for
  Name(const std::string& text) : Name(std::string_view(text)) {}  // NOLINT
  Name(const char* text) : Name(std::string_view(text)) {}         // NOLINT

  std::string_view text() const;
  std::string str() const { return std::string(text()); }
  bool empty() const { return id_ == 0; }
  std::uint32_t id() const { return id_; }

  bool operator==(const Name&) const = default;
  // By text, so that what is sorted prints the same in every run.
  bool operator<(const Name& other) const { return text() < other.text(); }

 private:
  std::uint32_t id_ = 0;
};

}  // namespace mtf

template <>
struct std::hash<mtf::Name> {
  std::size_t operator()(const mtf::Name& name) const noexcept { return std::hash<std::uint32_t>()(name.id()); }
};
