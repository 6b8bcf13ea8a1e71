#pragma once
// Texts as tokens: the results of data.text, data.tokens and data.token_file.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "eval/host_library.h"
#include "io/text.h"
#include "io/token_file.h"
#include "io/tokenizer.h"

namespace mtf::library {

/// The ids of a text's tokens: in a file, or in memory with as few bytes each as hold every id.
struct Tokens {
  io::TokenizerPtr tokenizer;                 ///< null without a tokenizer, or if a check does not know it
  std::int64_t vocab = -1;                    ///< the number of ids; -1: unknown in a check
  std::int64_t count = -1;                    ///< -1: unknown in a check
  std::vector<std::byte> ids;                 ///< empty in a check
  std::shared_ptr<const io::TokenFile> file;  ///< the file that has the ids instead, or null

  void set_tokenizer(io::TokenizerPtr by) {
    tokenizer = std::move(by);
    if (tokenizer) vocab = tokenizer->vocab();
  }
  void set(const std::vector<std::int32_t>& numbers);
  /// Reads tokens from `first` on. From a file: any thread may call it, and it throws IoError.
  void read(std::int64_t first, std::span<std::int32_t> to) const;
};

/// Returns the default number type of a token file: 16 bits if all ids fit, otherwise 32 bits.
io::StoredType token_type(std::int64_t vocab);

/// Makes the object of a text from the token `first` on.
eval::ObjectPtr token_text(std::shared_ptr<const Tokens> tokens, std::int64_t first, std::int64_t count);

/// The methods encode(string) and decode(ids, end). `encode` returns a list of ids. `decode` returns the text of a
/// tensor or list of ids, up to the first `end`; for a tensor with two dims it returns a list of texts.
eval::BuiltinPtr encode_by(const io::TokenizerPtr& tokenizer);
eval::BuiltinPtr decode_by(const io::TokenizerPtr& tokenizer);

}  // namespace mtf::library
