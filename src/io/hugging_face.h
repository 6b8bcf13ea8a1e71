// Tokenizers as Hugging Face stores them.
#pragma once

#include <string>

#include "io/tokenizer.h"

namespace mtf::io {

/// Reads a tokenizer.json: its normalizer, pre-tokenizer, model (BPE, Unigram, WordPiece or WordLevel) and decoder.
/// Throws IoError, which names the part by its keys, also for a part of a kind that is not known here.
TokenizerPtr hugging_face_tokenizer(const std::string& text, const std::string& path);

}  // namespace mtf::io
