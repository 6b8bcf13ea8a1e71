#pragma once

// Private to src/syntax: names ANTLR's types.

#include <cstdint>
#include <vector>

#include "support/diagnostics.h"
#include "syntax/ast.h"
#include "syntax/lexed_file.h"

namespace mtf::syntax {

// The tokens that the parser reads. What always holds:
//   - brackets match, and are nested at most kMaxNesting deep;
//   - NEWLINE (also made of `;`) separates statements, and only them: it ends each statement, stands
//     before the `}` of a block and before EOF, never twice in a row, never first in a block or file;
//   - there is none before `else`, nor where a line continues;
//   - an escape or a brace of a string that is no escape is left out and marked.
// A NEWLINE that no line end or `;` stands for has an empty text; so has the USE before a text that is what stands
// behind it.
struct TokenList {
  std::vector<LexedToken> tokens;          // the last is EOF
  std::vector<std::uint32_t> block_depth;  // of each token: the blocks it lies in
  std::vector<std::size_t> marks;          // ascending: indices at which an error was reported
  std::vector<ast::Comment> comments;
  bool incomplete = false;  // no error yet, but a bracket is open, or the last line continues
  bool too_deep = false;    // reading stopped there

  // How many statements stand at the top level.
  std::size_t count_statements() const;
  // Whether an error was already reported among the tokens [begin, end].
  bool is_marked(std::size_t begin, std::size_t end) const;
};

// `behind_use`: the first token is a USE.
TokenList read_tokens(LexedFile& lexed, const SourceFile& file, Diagnostics& diagnostics, bool behind_use = false);

}  // namespace mtf::syntax
