#pragma once
// What is known of a document when a question about it is answered. The facts are of an earlier state of the text; what
// stands in a part that has changed since has no answer.
#include <set>
#include <string>
#include <utility>

#include "tool/lsp/document_facts.h"
#include "tool/lsp/editor.h"
#include "tool/lsp/text_document.h"

namespace mtf::tool {

/// A document with what is known of an earlier state of it.
struct Known {
  const std::string& uri;
  const TextDocument& now;
  const DocumentFacts& facts;
  const std::string& library;  ///< folder that replaces the standard library; empty: the built-in one
  EarlierText earlier;         ///< of the facts and of `now`, which are compared once for a question
  bool has_old_costs = false;  ///< the costs are of an earlier text, or under an earlier mesh and layout
};

LspJson json_of(const EditorPosition& position);
EditorPosition position_of(const LspJson& json);
LspJson range_of(const TextDocument& text, std::size_t begin, std::size_t end);
/// `file:///…` of an absolute path, and back. Another URI is its own path.
std::string uri_of_path(const std::string& path);
std::string path_of_uri(const std::string& uri);

/// The smallest part at a byte; null where nothing is known. A cursor behind a name is at the name.
const eval::SpanInfo* part_at(const Known& known, std::size_t offset);
/// A range of the facts' text in the text as it is now; null where that has changed.
LspJson range_now(const Known& known, std::size_t begin, std::size_t end);
/// Where the name of a part is bound: the part itself where it binds one.
Span binding_of(const eval::SpanInfo& part);
/// Where a name is bound and used, in bytes. A check knows the places that it evaluates. Where the document binds the
/// name once, the others are its too: in layouts, in labels, in functions that nothing calls; but no members behind a
/// dot.
std::set<std::pair<std::size_t, std::size_t>> places_of(const DocumentFacts& facts, Span binding);
/// True for text of letters, digits and `_` alone.
bool is_word(std::string_view text);

}  // namespace mtf::tool
