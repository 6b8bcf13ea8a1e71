#pragma once

#include "support/diagnostics.h"
#include "syntax/ast.h"

namespace mtf::syntax {

// Adds warnings of what a program may say and hardly means: a `let` in a loop that makes a new name of one outside it
// (let_in_loop), and a dim that its block declares twice (dim_declared_twice).
void warn_of_doubts(const ast::Program& program, Diagnostics& diagnostics);

}  // namespace mtf::syntax
