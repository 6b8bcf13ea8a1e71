#pragma once
// The version of the language that a script says it was written for: `language 1`, as its first statement.
//
// `language` is a name everywhere else. A script of a later version is refused before anything else is read of it,
// because it may have forms that this version does not know. A script of an earlier one is accepted: versions only add.
#include <optional>

#include "support/diagnostics.h"
#include "syntax/token_stream.h"

namespace mtf::syntax {

/// The number behind `language` at the beginning of a file, behind comments. Nothing if the file begins otherwise.
std::optional<Span> language_version(const SourceFile& file);

/// Returns false, after a report, if this version of the language is not known.
bool knows_version(Span version, Diagnostics& diagnostics);

/// Makes the first token of a file that has a version a LANGUAGE.
void mark_language(TokenList& list);

}  // namespace mtf::syntax
