#pragma once
// What a language server answers about a document, as JSON of the Language Server Protocol 3.17.
#include "tool/lsp/known.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {

/// Errors and warnings, for `textDocument/publishDiagnostics`.
LspJson diagnostics_in(const DocumentFacts& facts);

/// Edits that cure what is wrong between two bytes, for `textDocument/codeAction`.
LspJson quick_fixes(const Known& known, std::size_t begin, std::size_t end);

/// Other meshes and layouts for hints and lenses, where a mesh is declared between two bytes: commands that leave the
/// text as it is, for `textDocument/codeAction`.
LspJson other_meshes(const Known& known, std::size_t begin, std::size_t end, const ProgramOptions& options);

/// Type, layout, block and cost of the part at a byte, and its documentation. Null where nothing is known.
LspJson hover_at(const Known& known, std::size_t offset);
/// Where the name at a byte was bound. Null where that is not in a file.
LspJson definition_of(const Known& known, std::size_t offset);
/// Where the name at a byte is bound and used in this document, as ranges; none if there is no such name.
LspJson references_to(const Known& known, std::size_t offset, bool with_definition);
/// The types and layouts of names that are bound, and what each line sends, between two bytes.
LspJson inlay_hints(const Known& known, std::size_t begin, std::size_t end);
/// What each top-level statement costs, and all calls of a function or model, above it.
LspJson code_lenses(const Known& known);
/// The words of `kTokenTypes` for each token, as the protocol packs them.
LspJson semantic_tokens(const Known& known);
LspJson token_types();
/// The page of HTML that `mtf plan --report` writes, of the document as it was when it was last planned: `{"html": …}`.
/// Null as long as it has not been planned.
LspJson report_on(const DocumentFacts& facts);

}  // namespace mtf::tool
