#pragma once

// Own names in texts for people (support/name.h).
//
// Code that writes a text inserts names unchanged. Before the text is shown, it is settled. An own name becomes `half`
// if no other dim called `half` is in the text, and otherwise `rotary::half`.

#include <span>
#include <string>
#include <string_view>

#include "support/name.h"

namespace mtf {

// Settles texts that people read together, such as the parts of one message.
void settle(std::span<std::string* const> texts);
// Settles a single text.
std::string settled(std::string text);

// Reads a name of a settled text: the own name for `rotary::half`, otherwise the name itself.
Name name_from_settled(std::string_view text);

}  // namespace mtf
