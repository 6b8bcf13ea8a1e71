#pragma once

// Own names in texts for people (support/name.h).
//
// Whoever writes a text puts names into it as they are. Before it is shown, the text is settled: an own name becomes
// `half` where no other dim called `half` is in the text, and `rotary::half` where one is.

#include <span>
#include <string>
#include <string_view>

#include "support/name.h"

namespace mtf {

// Settles texts that people read together, such as the parts of one message.
void settle(std::span<std::string* const> texts);
// The text, settled on its own.
std::string settled(std::string text);

// Reads a name from a settled text: the own name of `rotary::half`, or the name itself.
Name name_from_settled(std::string_view text);

}  // namespace mtf
