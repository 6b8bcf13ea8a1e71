#pragma once

#include <memory>
#include <string>

#include "support/source.h"

namespace mtf::syntax {

// Tokens that stand under each other on neighbouring lines of a source, because blanks were put before one of them,
// stand under each other in what was printed of it too: `printed` with blanks added before such tokens. Both have the
// same tokens, trailing commas and semicolons apart. Doing it again changes nothing.
std::string keep_columns(const std::shared_ptr<const SourceFile>& source, const std::string& printed);

}  // namespace mtf::syntax
