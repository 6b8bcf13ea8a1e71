#pragma once
// What a session holds, as data: for the tables of a prompt.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "eval/value_type.h"

namespace mtf::eval {
class Scope;
struct HostValue;
}  // namespace mtf::eval

namespace mtf::session {

/// What a name stands for.
struct HeldName {
  std::string name;
  eval::ValueType type;
  int64_t bytes = 0;  ///< of a tensor, of a model's params and states: those of the largest processor
};
/// The bindings of a scope that can still be named, in the order in which they were made.
std::vector<HeldName> held_names(const eval::Scope& scope);

/// A param or state.
struct HeldVariable {
  std::string path;  ///< `blocks[3].attention.wq`
  bool trainable = true;
  eval::LaidOut tensor;
  int64_t elements = 0;      ///< of all processors, copies counted once
  int64_t bytes = 0;         ///< of the largest processor
  int64_t own_elements = 0;  ///< of the largest processor
};
/// Those of an instance, of the elements of a list, or of one place; params before states.
std::vector<HeldVariable> held_variables(const eval::HostValue& value);

/// What a value is made of, one part of it.
struct HeldPart {
  int depth = 0;
  std::string name = {};  ///< `w`, `[3]`
  eval::ValueType type = {};
  bool are_left_out = false;  ///< it stands for parts that are not listed, and says nothing else
};
/// The parts of an instance, or of a list that holds more than numbers and strings: params, states and what has some
/// itself, one in another. Where many lie one after the other, some are left out. Nothing for any other value.
std::vector<HeldPart> held_parts(const eval::HostValue& value);

/// A tensor, with no name; of whatever has params, those, in the order of declaration, by what stands behind the value
/// to name them (`w`, `[1].attention.wq`); nothing for any other value.
std::vector<std::pair<std::string, eval::LaidOut>> laid_out_in(const eval::HostValue& value);

}  // namespace mtf::session
