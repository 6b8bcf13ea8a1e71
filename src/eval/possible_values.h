#pragma once
// Possible values: the knowledge of a check or a plan about a value, and operations on this knowledge.
//
// In a check or a plan, a value stands for the set of values that a run may have at this point:
//
//   a known value      the value itself; for a list: all lists with an item from each item's set
//   Unknown of a kind  all values of the kind: UnknownKind in host_value.h
//   Poison             the empty set: an error has been reported, and its consequences are not reported
//
// A check reaches the same variable on several branches and several times. So sets only grow: join() returns the
// smallest representable set that contains both. An error may be reported only if every value of the set fails. Code
// that needs to know more than the set says returns an unknown value and reports nothing. In a run each set has one
// value.
#include <functional>
#include <optional>
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {

/// True if the value may be a tensor of any shape. Operations on it return an unknown value and report nothing.
inline bool is_open(const HostValue& value) {
  const auto* unknown = value.as<Unknown>();
  return unknown && (unknown->kind == UnknownKind::kAny || unknown->kind == UnknownKind::kTensor);
}
/// True if the element type of the value as a tensor is unknown: the value is open, or an unknown int or float.
inline bool has_open_type(const HostValue& value) {
  const auto* unknown = value.as<Unknown>();
  return unknown && (is_open(value) || unknown->kind == UnknownKind::kNumber);
}
/// True if the value may be `none`.
inline bool may_be_none(const HostValue& value) {
  const auto* unknown = value.as<Unknown>();
  return value.is<None>() || (unknown && unknown->kind == UnknownKind::kAny);
}
/// A part or an item of a value that is not known: any value, but Poison of Poison.
inline HostValue part_of_unknown(const HostValue& whole) {
  return whole.is_poison() ? whole : HostValue(unknown(UnknownKind::kAny));
}
/// True if `is` holds for the value or, for a list, for an item of it or of the lists inside it. `is` is not called for
/// lists. A list that occurs several times is searched once.
bool has_item(const HostValue& value, const std::function<bool(const HostValue&)>& is);
/// True if the value is unknown, or is a list with an unknown item at any depth.
bool has_unknown(const HostValue& value);
/// True if a tensor that the value stands for, or that an item of it stands for, has no known type.
bool is_unsettled(const HostValue& value);
/// True if a check or a plan does not know the text of the value: it is or contains an unknown value or a tensor.
bool has_unknown_text(const HostValue& value);

/// The result of any operation on undecided operands: Poison if an operand is Poison, an unknown value if one is open.
/// Returns nothing if the operation can examine its operands.
template <typename... Values>
std::optional<HostValue> undecided(const Values&... values) {
  if ((values.is_poison() || ...)) return HostValue(Poison{});
  if ((is_open(values) || ...)) return unknown(UnknownKind::kAny);
  return std::nullopt;
}

/// Returns a set with all values of both sets.
HostValue join(const HostValue& a, const HostValue& b);
/// Returns a set with all values of all items. Without items the result is unknown.
HostValue join_of(const std::vector<HostValue>& items);
/// True if the two sets are equal, so that a join adds nothing.
bool is_same_set(const HostValue& a, const HostValue& b);
/// Returns a set that contains the values of all later assignments. Tensors and variables stay as they are, because
/// their types do not change. Other values become unknown of their kind.
HostValue widened(const HostValue& value);
/// True if one is a string and the other a number. No operation works on both.
bool are_apart(const HostValue& a, const HostValue& b);
/// True if the two sets have values of one type, so that a name with one value may be assigned the other.
bool may_be_of_one_type(const HostValue& a, const HostValue& b);

}  // namespace mtf::eval
