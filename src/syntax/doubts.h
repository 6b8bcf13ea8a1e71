#pragma once

#include "support/diagnostics.h"
#include "syntax/ast.h"

namespace mtf::syntax {

// Warns of constructs that are valid but probably not intended: a `let` in a loop that hides a name from outside
// (let_in_loop), and a dim that its block declares twice (dim_declared_twice).
void warn_of_doubts(const ast::Program& program, Diagnostics& diagnostics);

}  // namespace mtf::syntax
