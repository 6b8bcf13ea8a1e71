#pragma once
// How large values of the host may be: what is larger fills the memory, or takes minutes, before anyone sees why.
#include <cstddef>
#include <string_view>

#include "support/source.h"

namespace mtf::eval {

/// Fails (limit_exceeded) if a string or a text would have more than 2^26 bytes, or a tensor literal more numbers.
void check_length(size_t length, std::string_view what, Span span);
/// Fails if a list would have more than 2^24 elements, each of which is 32 bytes and what it stands for.
void check_list_length(size_t length, Span span);

/// What copying so many elements of a list counts as among the expressions that a check evaluates.
inline size_t steps_of_copying(size_t elements) { return elements / 4; }

}  // namespace mtf::eval
