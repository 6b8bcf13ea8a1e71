#pragma once

// Private to src/syntax: names ANTLR's types.

#include <optional>
#include <string>
#include <vector>

#include "support/edit.h"
#include "syntax/token_stream.h"

namespace mtf::syntax {

// A form of another language, in tokens of a statement.
struct ForeignForm {
  std::size_t first = 0, last = 0;  // tokens
  bool is_exact = false;            // the last token is the mistake; otherwise the whole form is
  bool is_fixed = false;            // it is the same tokens wherever it stands
  std::string help;
  std::vector<Edit> edits;  // what makes it right; none if that cannot be said of the form alone
};

// The first form of syntax/foreign.def that stands in the statement which begins at `statement` and explains why the
// parser could not go on at `found`.
std::optional<ForeignForm> find_foreign_form(const TokenList& tokens, const Offsets& offsets, std::size_t statement,
                                             std::size_t found);

}  // namespace mtf::syntax
