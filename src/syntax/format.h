#pragma once

#include <memory>
#include <string>

#include "support/source.h"

namespace mtf::syntax {

// A script in the one form that `mtf fmt` writes: as `print` (syntax/print.h), with what the source puts under each
// other kept so. Comments are kept; the tree is the same before and after; formatting again changes nothing. Throws the
// first error of a script that cannot be read as UserError.
std::string format(const std::shared_ptr<const SourceFile>& source);

}  // namespace mtf::syntax
