#pragma once
// The attributes of an operation: everything besides its operands that fixes its structure. They are dims that the
// call names, and numbers that fix a shape or a position.
//
// Each family of operations has a struct of attributes, beside its records in ops/. The struct describes its members
// once:
//
//   struct CumsumAttributes {
//     Name over;
//     bool reverse = false;
//     static constexpr auto members() {
//       return std::array{member<&CumsumAttributes::over>("over"), member<&CumsumAttributes::reverse>("reverse")};
//     }
//   };
//
// Equality, keys, the form under which plans are kept, and a readable text all follow from this description:
//
//   cumsum(x, over: length, reverse: true)
//   einsum(x, w -> [batch, hidden])
//
// A member called `->` comes last in the text. The text omits a flag that is false, and the first of several words.
//
// Attributes name dims. A kernel finds the positions of these dims in the types of its operation.
#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "types/dim.h"

namespace mtf {
class TextReader;  // types/text_reader.h
}

namespace mtf::graph {

struct Op;  // graph/op.h

/// The types of members. A word is one value of an enumeration of one byte.
enum class MemberType : uint8_t { kFlag, kInteger, kIntegers, kWord, kElement, kName, kNames, kDim, kDims, kType };

struct Member {
  std::string_view label;
  MemberType type;
  void* (*at)(void* record);                ///< returns the member of a struct
  std::span<const std::string_view> words;  ///< of kWord: the word for each value
};

/// The description of a struct of attributes: its members, and a function that makes a struct with default values.
struct AttributesForm {
  std::span<const Member> members;
  std::shared_ptr<void> (*make)();
};

namespace internal {
template <typename T>
struct MemberPointer;
template <typename StructType, typename ValueType>
struct MemberPointer<ValueType StructType::*> {
  using Struct = StructType;
  using Value = ValueType;
};

template <typename T>
constexpr MemberType member_type() {
  if constexpr (std::is_same_v<T, bool>) return MemberType::kFlag;
  else if constexpr (std::is_same_v<T, int64_t>) return MemberType::kInteger;
  else if constexpr (std::is_same_v<T, Integers>) return MemberType::kIntegers;
  else if constexpr (std::is_same_v<T, ElementType>) return MemberType::kElement;
  else if constexpr (std::is_same_v<T, Name>) return MemberType::kName;
  else if constexpr (std::is_same_v<T, Names>) return MemberType::kNames;
  else if constexpr (std::is_same_v<T, Dim>) return MemberType::kDim;
  else if constexpr (std::is_same_v<T, Dims>) return MemberType::kDims;
  else if constexpr (std::is_same_v<T, TensorType>) return MemberType::kType;
  else {
    static_assert(std::is_enum_v<T> && sizeof(T) == 1, "no member of attributes has this type");
    return MemberType::kWord;
  }
}
}  // namespace internal

/// Describes a member: `member<&SliceAttributes::first>("first")`.
template <auto kPointer>
constexpr Member member(std::string_view label, std::span<const std::string_view> words = {}) {
  using Pointer = internal::MemberPointer<decltype(kPointer)>;
  return {label, internal::member_type<typename Pointer::Value>(),
          [](void* record) -> void* { return &(static_cast<typename Pointer::Struct*>(record)->*kPointer); }, words};
}

/// A type that describes its members.
template <typename T>
concept Described = requires {
  { T::members()[0] } -> std::convertible_to<Member>;
};

template <Described T>
inline constexpr auto kMembersOf = T::members();

/// The form that a record names: `.attributes = &kFormOf<SliceAttributes>`.
template <Described T>
inline constexpr AttributesForm kFormOf{kMembersOf<T>, []() -> std::shared_ptr<void> { return std::make_shared<T>(); }};

/// An immutable struct of attributes of any family, or none. Copies share the struct.
class Attributes {
 public:
  Attributes() = default;
  template <Described T>
  Attributes(T values)
      : record_(std::make_shared<T>(std::move(values))), form_(&kFormOf<T>) {}  // NOLINT: a struct is attributes
  Attributes(const AttributesForm& form, std::shared_ptr<void> record) : record_(std::move(record)), form_(&form) {}

  /// Returns null if there are no attributes.
  const AttributesForm* form() const { return form_; }

  /// Returns the struct, whose type must be T.
  template <Described T>
  const T& get() const {
    if (form_ != &kFormOf<T>) [[unlikely]]
      fail_get();
    return *static_cast<const T*>(record_.get());
  }

  /// Calls `visitor(member, value)` for each member, in the described order. The value of a word is a uint8_t.
  template <typename Visitor>
  void visit(Visitor&& visitor) const;

  bool operator==(const Attributes& other) const;

 private:
  [[noreturn]] static void fail_get();

  std::shared_ptr<void> record_;  // immutable from here on
  const AttributesForm* form_ = nullptr;
};

/// Calls `visitor(member, value)` for one member of a struct.
template <typename Visitor>
void visit_member(const Member& member, void* record, Visitor&& visitor) {
  void* const at = member.at(record);
  switch (member.type) {
    case MemberType::kFlag: return visitor(member, *static_cast<bool*>(at));
    case MemberType::kInteger: return visitor(member, *static_cast<int64_t*>(at));
    case MemberType::kIntegers: return visitor(member, *static_cast<Integers*>(at));
    case MemberType::kWord: return visitor(member, *static_cast<uint8_t*>(at));
    case MemberType::kElement: return visitor(member, *static_cast<ElementType*>(at));
    case MemberType::kName: return visitor(member, *static_cast<Name*>(at));
    case MemberType::kNames: return visitor(member, *static_cast<Names*>(at));
    case MemberType::kDim: return visitor(member, *static_cast<Dim*>(at));
    case MemberType::kDims: return visitor(member, *static_cast<Dims*>(at));
    case MemberType::kType: return visitor(member, *static_cast<TensorType*>(at));
  }
}

template <typename Visitor>
void Attributes::visit(Visitor&& visitor) const {
  if (form_ == nullptr) return;
  for (const Member& member : form_->members)
    visit_member(member, record_.get(), [&](const Member& which, const auto& value) { visitor(which, value); });
}

/// Appends a key that is equal only for equal attributes of one operation (types/key.h).
void append(std::string& key, const Attributes& attributes);

/// Returns each member after its label, as a call writes them after its operands: `over: hidden, reverse: true`, `->
/// [batch, hidden]`. Returns an empty text if all members have defaults.
std::string to_string(const Attributes& attributes);

/// Reads the text of to_string for an operation of `op`, up to the end of the line or the closing bracket.
Attributes read_attributes(const Op& op, TextReader& reader);
/// Reads a text that contains nothing else. Throws std::invalid_argument with a sentence if the text is malformed.
Attributes read_attributes(const Op& op, std::string_view text);

}  // namespace mtf::graph
