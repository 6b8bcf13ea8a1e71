#pragma once
// What a language server answers about a document, as JSON of the Language Server Protocol 3.17. Each function reads
// the facts of an earlier state of the text; `now` is the text as it is, and what stands in a part that has changed
// since is left out.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tool/lsp/document_facts.h"
#include "tool/lsp/text_document.h"

namespace mtf::tool {

using LspJson = nlohmann::json;

/// A document with what is known of an earlier state of it.
struct Known {
  const std::string& uri;
  const TextDocument& now;
  const DocumentFacts& facts;
  const std::string& library;  ///< folder that replaces the standard library; empty: the built-in one
  EarlierText earlier;         ///< of the facts and of `now`, which are compared once for a question
};

LspJson json_of(const EditorPosition& position);
EditorPosition position_of(const LspJson& json);
LspJson range_of(const TextDocument& text, std::size_t begin, std::size_t end);
/// `file:///…` of an absolute path, and back. Another URI is its own path.
std::string uri_of_path(const std::string& path);
std::string path_of_uri(const std::string& uri);

/// Errors and warnings, for `textDocument/publishDiagnostics`.
LspJson diagnostics_in(const DocumentFacts& facts);

/// Edits that cure what is wrong between two bytes, for `textDocument/codeAction`.
LspJson quick_fixes(const Known& known, std::size_t begin, std::size_t end);

/// Type, layout, block and cost of the part at a byte, and its documentation. Null where nothing is known.
LspJson hover_at(const Known& known, std::size_t offset);
/// Where the name at a byte was bound. Null where that is not in a file.
LspJson definition_of(const Known& known, std::size_t offset);
/// Where the name at a byte is bound and used in this document, as ranges; none if there is no such name.
LspJson references_to(const Known& known, std::size_t offset, bool with_definition);
/// The types and layouts of names that are bound, and what each line sends, between two bytes.
LspJson inlay_hints(const Known& known, std::size_t begin, std::size_t end);
/// What each top-level statement costs, above it.
LspJson code_lenses(const Known& known);
/// Functions, models, dims and other names that the document declares.
LspJson symbols_in(const Known& known);
/// Blocks that can be folded.
LspJson folding_ranges(const Known& known);
/// The words of `kTokenTypes` for each token, as the protocol packs them.
LspJson semantic_tokens(const Known& known);
LspJson token_types();
/// The page of HTML that `mtf plan --report` writes, of the document as it was when it was last planned: `{"html": …}`.
/// Null as long as it has not been planned.
LspJson report_on(const DocumentFacts& facts);

}  // namespace mtf::tool
