#pragma once

#include <string>

#include "syntax/ast.h"

namespace mtf {

// AST → source text, in the one form that `mtf fmt` writes: two spaces for each block, one space
// around binary operators, one statement a line. Parsing what is printed gives the same tree, and
// printing that the same text. Parentheses that were written are kept; comments and single empty
// lines between statements are kept where they stand between statements or at a line's end.
std::string print(const ast::Program& program);

// A single line without a line end; the blocks of `counters` excepted.
std::string print(const ast::Expr& expr);
std::string print(const ast::Stmt& stmt);
std::string print(const ast::Annotation& annotation);
std::string print(const ast::LayoutLiteral& layout);

// "fn f(x: [batch, io]) -> [batch, io]", "model M(a: dim)": what editors show on hover.
std::string signature(const ast::FnStmt& fn);
std::string signature(const ast::ModelStmt& model);

}  // namespace mtf
