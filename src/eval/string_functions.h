#pragma once
// The functions of strings: split, join, find and their like. A character is a code point; case is that of a to z.
#include <functional>
#include <string_view>
#include <vector>

#include "eval/host_value.h"

namespace mtf {

struct StringFunction {
  std::string_view name, signature, doc;
  HostValue (*call)(Evaluator&, Arguments&);
};
const std::vector<StringFunction>& string_functions();

/// The lines of a text without their ends, as a list.
HostValue list_of_lines(std::string_view text, Span span);

/// The number that a string is; fails (bad_value) at `span` if it is none.
HostValue parse_int(const std::string& text, Span span);
HostValue parse_float(const std::string& text, Span span);

}  // namespace mtf
