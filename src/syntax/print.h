#pragma once

#include <string>

#include "syntax/ast.h"

namespace mtf::syntax {

// AST → source text, in the one form that `mtf fmt` writes: two spaces for each block, one space
// around binary operators. Parsing what is printed gives the same tree, and printing that the same
// text. Kept from the source are parentheses, comments, single empty lines, which statements share a
// line, blocks on one line, and which parts of a bracket begin a line.
std::string print(const ast::Program& program);

// Without comments, and on a single line, blocks excepted; no line end at the end.
std::string print(const ast::Expr& expr);
std::string print(const ast::Stmt& stmt);
std::string print(const ast::Annotation& annotation);
std::string print(const ast::LayoutLiteral& layout);

}  // namespace mtf::syntax
