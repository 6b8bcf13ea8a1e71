// SentencePiece's models (Kudo and Richardson, 2018), as their files `.model` have them.
#pragma once

#include <string>

#include "io/tokenizer.h"

namespace mtf::io {

/// Reads a model: unigram (Kudo, 2018), whose pieces are the likeliest ones of a text, or BPE. Both may have tokens for
/// the bytes of what has none. Text is normalized as the model says. Throws IoError.
TokenizerPtr sentence_piece_tokenizer(const std::string& bytes, const std::string& path);

}  // namespace mtf::io
