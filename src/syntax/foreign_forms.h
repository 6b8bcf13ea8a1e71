#pragma once

// Private to src/syntax: names ANTLR's types.

#include <optional>
#include <string>
#include <vector>

#include "support/edit.h"
#include "syntax/token_stream.h"

namespace mtf::syntax {

// A form of another language, found in the tokens of a statement.
struct ForeignForm {
  std::size_t first = 0, last = 0;  // indices of tokens
  bool is_exact = false;            // the last token is the mistake; otherwise the whole form is
  bool is_fixed = false;            // the form has no variable parts
  std::string help;
  std::vector<Edit> edits;  // the correction; empty if the form alone does not determine it
};

// The first form of syntax/foreign.def in the statement from `statement` on that explains why the parser stopped at
// `found`.
std::optional<ForeignForm> find_foreign_form(const TokenList& tokens, const Offsets& offsets, std::size_t statement,
                                             std::size_t found);

}  // namespace mtf::syntax
