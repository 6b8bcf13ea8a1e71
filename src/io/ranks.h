// Byte pair encoding as tiktoken stores it: files of ranks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/piece_tokenizer.h"

namespace mtf::io {

/// The bytes of a base64 text; nothing if it is none.
std::optional<std::string> from_base64(std::string_view text);

/// True for lines of a base64 text and a number each.
bool looks_like_ranks(std::string_view text);

/// Returns the expression that is known by a name: gpt2, cl100k or o200k. Another name is an expression itself.
std::string pattern_named(const std::string& name);

/// Reads a file of ranks. `pattern` is a regular expression, or the name of a known one.
/// `special` are tokens with their ids; -1 is the next free id. Throws IoError.
TokenizerPtr tokenizer_of_ranks(const std::string& text, const std::string& path, const std::string& pattern,
                                std::vector<WholeToken> special);

}  // namespace mtf::io
