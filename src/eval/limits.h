#pragma once
// Limits for the size of host values. Larger values would fill the memory, or take minutes, before anybody sees the
// reason.
#include <cstddef>
#include <string_view>

#include "support/source.h"

namespace mtf::eval {

/// Fails (limit_exceeded) if a string or a text would have more than 2^26 bytes, or a tensor literal more than 2^26
/// numbers.
void check_length(size_t length, std::string_view what, Span span);
/// Fails (limit_exceeded) if a list would have more than 2^24 elements. Each takes 32 bytes and the memory of its
/// value.
void check_list_length(size_t length, Span span);

/// The number of check steps for copying so many elements of a list.
inline size_t steps_of_copying(size_t elements) { return elements / 4; }

}  // namespace mtf::eval
