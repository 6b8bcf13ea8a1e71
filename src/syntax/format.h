#pragma once

#include <memory>
#include <string>

#include "support/source.h"

namespace mtf::syntax {

// Formats a script as `mtf fmt` does: as `print` (syntax/print.h), but keeps the alignment of columns in the source.
// Keeps comments and the tree. Formatting twice changes nothing more. Throws UserError with the first syntax error of
// an invalid script.
std::string format(const std::shared_ptr<const SourceFile>& source);

}  // namespace mtf::syntax
