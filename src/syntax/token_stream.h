#pragma once

// Private to src/syntax: names ANTLR's types.

#include <cstdint>
#include <vector>

#include "support/diagnostics.h"
#include "syntax/ast.h"
#include "syntax/lexed_file.h"

namespace mtf::syntax {

// The tokens that the parser reads. Invariants:
//   - Brackets match, and are nested at most kMaxNesting deep.
//   - A NEWLINE (also made of `;`) ends each statement, and occurs nowhere else. It precedes the `}` of a block and
//     EOF. It is never repeated, and never first in a block or file.
//   - No NEWLINE precedes `else`, or is inside a line that continues.
//   - An invalid escape or a stray brace of a string is left out and marked.
// An inserted token has an empty text: a NEWLINE without a line end or `;`, or the USE before a text that is parsed as
// the rest of a `use` statement.
struct TokenList {
  std::vector<LexedToken> tokens;          // the last is EOF
  std::vector<std::uint32_t> block_depth;  // for each token, the number of enclosing blocks
  std::vector<std::size_t> marks;          // ascending: token indices of reported errors
  std::vector<ast::Comment> comments;
  bool incomplete = false;  // no error yet, but a bracket is open, or the last line continues
  bool too_deep = false;    // reading stopped at the limit

  // The number of top-level statements.
  std::size_t count_statements() const;
  // True if an error was already reported among the tokens [begin, end].
  bool is_marked(std::size_t begin, std::size_t end) const;
};

// If `behind_use` is set, the first token is an inserted USE.
TokenList read_tokens(LexedFile& lexed, const SourceFile& file, Diagnostics& diagnostics, bool behind_use = false);

}  // namespace mtf::syntax
