#pragma once
// The params and states that a value holds, and their paths.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {

/// Whether a value has `params` and `states`: an instance, and a list of instances, params, states, `none` and such
/// lists. Of a list with an element that only the run knows nobody can say.
enum class HoldsPlaces : uint8_t { kNo, kUnknown, kYes };
HoldsPlaces holds_places(const HostValue& value);

/// Those that stand below a value, in an instance's names and in lists, depth first in the order of declaration, each
/// once: params if `trainable`, else states. `all_known`: false if only the run knows whether there are more.
std::vector<PlacePtr> places_of(const HostValue& value, bool trainable, bool* all_known = nullptr);

/// The same, each with its path from the value.
std::vector<std::pair<PlacePtr, std::string>> paths_of(const HostValue& value, bool trainable);

/// Gives those below a finished instance that were declared after the variable number `first` their paths from there:
/// the outermost model that made a variable names it, as it is finished last. Returns how many values it came by.
size_t name_places(const InstancePtr& instance, int64_t first);

}  // namespace mtf::eval
