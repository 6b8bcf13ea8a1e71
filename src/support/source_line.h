#pragma once
#include <string>

#include "support/source.h"

namespace mtf {

/// Returns the line on which a span begins, without surrounding blanks; nothing if the position is unknown.
std::string line_of(Span span);

}  // namespace mtf
