#pragma once
// Answers that follow from how a document is built: its symbols, its blocks, and which function calls which.
#include <functional>

#include "syntax/ast.h"
#include "tool/lsp/answers.h"

namespace mtf::tool {

/// Calls `visit` with a statement and each one inside it, outer ones first.
void each_statement(const ast::Stmt& statement, const std::function<void(const ast::Stmt&)>& visit);
void each_statement(const ast::Block& block, const std::function<void(const ast::Stmt&)>& visit);

/// Functions, models, dims and other names that the document declares.
LspJson symbols_in(const Known& known);
/// Blocks that can be folded.
LspJson folding_ranges(const Known& known);
/// The parts around a byte, the smallest first, for `textDocument/selectionRange`.
LspJson selection_range(const Known& known, std::size_t offset);

/// The functions and models of the document that are declared, or that are called, at a byte: items of a call
/// hierarchy.
LspJson callables_at(const Known& known, std::size_t offset);
/// Who calls the function or model whose name stands at a byte, and whom it calls.
LspJson callers_of(const Known& known, std::size_t offset);
LspJson called_by(const Known& known, std::size_t offset);

}  // namespace mtf::tool
