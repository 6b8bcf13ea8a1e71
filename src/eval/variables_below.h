#pragma once
// Finds the params and states (Variable) that a value holds, and their paths.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {

/// Tells whether a value has the attributes `params` and `states`. An instance has them, and a list of instances,
/// params, states, `none` and such lists. For a list with an element that only a run knows, the answer is kUnknown.
enum class HoldsVariables : uint8_t { kNo, kUnknown, kYes };
HoldsVariables holds_variables(const HostValue& value);

/// Returns the params (if `trainable`) or states below a value. The walk enters instances and lists, depth first, in
/// the order of declaration, each once. `all_known` becomes false if only a run knows whether there are more.
std::vector<VariablePtr> variables_below(const HostValue& value, bool trainable, bool* all_known = nullptr);

/// Like `variables_below`, with the path from the value to each param or state.
std::vector<std::pair<VariablePtr, std::string>> paths_of(const HostValue& value, bool trainable);

/// Sets the paths, from a finished instance, of the variables below it that were declared after variable `first`. The
/// outermost instance finishes last, so its path is the final one. A variable of an instance that was made before keeps
/// its path, unless another variable below the finished instance has it: then it gets the path from there. Returns the
/// number of values walked.
size_t name_variables(const InstancePtr& instance, int64_t first);

}  // namespace mtf::eval
