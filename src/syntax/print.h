#pragma once

#include <string>

#include "syntax/ast.h"

namespace mtf::syntax {

// Prints an AST as source text, in the form of `mtf fmt`: two spaces for each block, one space around binary operators.
// Parsing the result gives the same tree, and printing that tree gives the same text. The printer keeps some properties
// of the source: parentheses, comments, single empty lines, statements that share a line, blocks on one line, and line
// breaks inside brackets.
std::string print(const ast::Program& program);

// Print a node without comments, on a single line except for blocks, and without a final line end.
std::string print(const ast::Expr& expr);
std::string print(const ast::Stmt& stmt);
std::string print(const ast::Annotation& annotation);
std::string print(const ast::LayoutLiteral& layout);

}  // namespace mtf::syntax
