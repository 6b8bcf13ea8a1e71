#pragma once
// What fixes an operation's structure besides its operands: dims that the call names, numbers that fix a shape or a
// place.
//
// Each family of operations has a struct for it, beside its records in ops/, which describes its members once:
//
//   struct CumsumAttributes {
//     Name over;
//     bool reverse = false;
//     static constexpr auto members() {
//       return std::array{member<&CumsumAttributes::over>("over"), member<&CumsumAttributes::reverse>("reverse")};
//     }
//   };
//
// From that follow when two are equal, keys, the form under which plans are kept, and a text that can be read back:
//
//   cumsum(x, over: length, reverse: true)
//   einsum(x, w -> [batch, hidden])
//
// A member called `->` comes last in the text. A flag that is false, and the first of several words, are left out.
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

/// The types that a member may have. A word is one value of an enumeration of one byte.
enum class MemberType : uint8_t { kFlag, kInteger, kIntegers, kWord, kElement, kName, kNames, kDim, kDims, kType };

struct Member {
  std::string_view label;
  MemberType type;
  void* (*at)(void* record);                ///< the member of a struct
  std::span<const std::string_view> words;  ///< of kWord: a word for each value
};

/// A struct of attributes: its members, and how to make one with each member's default.
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

/// A struct that describes its members.
template <typename T>
concept Described = requires {
  { T::members()[0] } -> std::convertible_to<Member>;
};

template <Described T>
inline constexpr auto kMembersOf = T::members();

/// What a record says that its operations carry: `.attributes = &kFormOf<SliceAttributes>`.
template <Described T>
inline constexpr AttributesForm kFormOf{kMembersOf<T>, []() -> std::shared_ptr<void> { return std::make_shared<T>(); }};

/// A struct of attributes of any family, or none. It never changes; copies share it.
class Attributes {
 public:
  Attributes() = default;
  template <Described T>
  Attributes(T values)
      : record_(std::make_shared<T>(std::move(values))), form_(&kFormOf<T>) {}  // NOLINT: a struct is attributes
  Attributes(const AttributesForm& form, std::shared_ptr<void> record) : record_(std::move(record)), form_(&form) {}

  /// Null: there are none.
  const AttributesForm* form() const { return form_; }

  /// The struct, which it must be.
  template <Described T>
  const T& get() const {
    if (form_ != &kFormOf<T>) [[unlikely]]
      fail_get();
    return *static_cast<const T*>(record_.get());
  }

  /// Calls `visitor(member, value)` for each member, in the order in which they are described. A word's value is a
  /// uint8_t.
  template <typename Visitor>
  void visit(Visitor&& visitor) const;

  bool operator==(const Attributes& other) const;

 private:
  [[noreturn]] static void fail_get();

  std::shared_ptr<void> record_;  // which nobody writes to any more
  const AttributesForm* form_ = nullptr;
};

/// Calls `visitor(member, value)` with a member of a struct.
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

/// Appends what makes attributes of one operation differ (types/key.h).
void append(std::string& key, const Attributes& attributes);

/// Each member behind its label, as a call has them behind its operands: `over: hidden, reverse: true`, `-> [batch,
/// hidden]`. Empty where there is nothing to say.
std::string to_string(const Attributes& attributes);

/// Reads what to_string wrote, of an operation of `op`, up to the end of the line or the bracket that closes.
Attributes read_attributes(const Op& op, TextReader& reader);
/// The same of a text that is nothing else. Throws std::invalid_argument with a sentence if it is no such text.
Attributes read_attributes(const Op& op, std::string_view text);

}  // namespace mtf::graph
