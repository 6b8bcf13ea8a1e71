#pragma once
// The values that a session holds, as data for the tables of a prompt.
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

/// A name with a value.
struct HeldName {
  std::string name;
  eval::ValueType type;
  int64_t bytes = 0;  ///< of a tensor, or of a model's params and states, on the processor that holds most
};
/// Returns the bindings of a scope that can still be named, in the order in which they were made.
std::vector<HeldName> held_names(const eval::Scope& scope);

/// A param or state.
struct HeldVariable {
  std::string path;  ///< `blocks[3].attention.wq`
  bool trainable = true;
  eval::LaidOut tensor;
  int64_t elements = 0;      ///< on all processors; copies count once
  int64_t bytes = 0;         ///< on the processor that holds most
  int64_t own_elements = 0;  ///< on the processor that holds most
};
/// Returns the variables of an instance, of the elements of a list, or the variable itself; params before states.
std::vector<HeldVariable> held_variables(const eval::HostValue& value);

/// One part of a value.
struct HeldPart {
  int depth = 0;
  std::string name = {};  ///< `w`, `[3]`
  eval::ValueType type = {};
  bool are_left_out = false;  ///< a mark for parts that are not listed; all other members are empty
};
/// Returns the parts of an instance, or of a list that holds more than numbers and strings. Parts are params, states,
/// and values with parts of their own, recursively. Leaves out some of many parts in a row. Returns nothing for any
/// other value.
std::vector<HeldPart> held_parts(const eval::HostValue& value);

/// Returns the layout of a tensor, without a name, or the layouts of all params of a value in the order of declaration.
/// A name is the text after the value that leads to the param (`w`, `[1].attention.wq`). Returns nothing for any other
/// value.
std::vector<std::pair<std::string, eval::LaidOut>> laid_out_in(const eval::HostValue& value);

}  // namespace mtf::session
