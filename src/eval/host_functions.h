#pragma once
// Element-wise functions of numbers of the host: `sqrt(2)`.
#include <optional>

#include "eval/host_value.h"

namespace mtf {

/// The value of such a function, of a number that is known or not; nothing if this is no such call.
std::optional<HostValue> on_the_host(const Op& op, const Arguments& arguments);

}  // namespace mtf
