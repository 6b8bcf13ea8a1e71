#pragma once
// Possible values: what a check or a plan knows of a value, and the operations on that knowledge.
//
// A value stands for the set of values that the run may have in its place:
//
//   a value          that one alone; a list, the lists whose items are those that its items stand for
//   Unknown of a kind  all values of the kind: UnknownKind in host_value.h
//   Poison           none: an error has been reported, and nothing that follows from it is reported
//
// Walks reach a place in several ways and several times, so sets only ever grow: join() is the smallest known set that
// has both. An error may be reported only if every value of the set fails. So whoever needs to know more of a value
// than the set says gives something unknown, and reports nothing. In a run each set has one value.
#include <functional>
#include <optional>
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {

/// True if the value may be a tensor of any shape: operations on it give something unknown, and report nothing.
inline bool is_open(const HostValue& value) {
  const auto* unknown = value.as<Unknown>();
  return unknown && (unknown->kind == UnknownKind::kAny || unknown->kind == UnknownKind::kTensor);
}
/// True if the element type is unknown that the value has as a tensor: it is open, or an int or a float.
inline bool has_open_type(const HostValue& value) {
  const auto* unknown = value.as<Unknown>();
  return unknown && (is_open(value) || unknown->kind == UnknownKind::kNumber);
}
/// True if the value may be `none`.
inline bool may_be_none(const HostValue& value) {
  const auto* unknown = value.as<Unknown>();
  return value.is<None>() || (unknown && unknown->kind == UnknownKind::kAny);
}
/// Asks `is` of the value or, if that is a list, of each item that is no list, in the lists inside too, until one is
/// so. A list that stands there several times is looked at once.
bool has_item(const HostValue& value, const std::function<bool(const HostValue&)>& is);
/// True if the value is unknown, or has an item that is, through the lists inside.
bool has_unknown(const HostValue& value);
/// True if the text of the value is unknown in a check or a plan: it is or has something unknown, or a tensor.
bool has_unknown_text(const HostValue& value);

/// Poison if an operand is in error, something unknown if one is open: the result of any operation. Nothing if the
/// operation can look at them.
template <typename... Values>
std::optional<HostValue> undecided(const Values&... values) {
  if ((values.is_poison() || ...)) return HostValue(Poison{});
  if ((is_open(values) || ...)) return unknown(UnknownKind::kAny);
  return std::nullopt;
}

/// Every value that is in one of the sets.
HostValue join(const HostValue& a, const HostValue& b);
/// Every value that an item may be. Of no items nothing is known.
HostValue join_of(const std::vector<HostValue>& items);
/// True if the two are one set: a join of them adds nothing.
bool is_same_set(const HostValue& a, const HostValue& b);
/// A set that the values of no later walk leave, whatever is assigned: of numbers and strings the kind, else anything.
HostValue widened(const HostValue& value);
/// True if one is a string and the other a number: nothing can be done with both.
bool are_apart(const HostValue& a, const HostValue& b);
/// True if a name that is one may be assigned the other: neither is a tensor of another type, or of another kind.
bool may_be_of_one_type(const HostValue& a, const HostValue& b);

}  // namespace mtf::eval
