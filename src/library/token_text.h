#pragma once
// Texts as tokens: what data.text, data.tokens and data.token_file give.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "eval/host_library.h"
#include "io/text.h"
#include "io/token_file.h"
#include "io/tokenizer.h"

namespace mtf::library {

/// The numbers of a text's tokens: in memory, each in as few bytes as all ids fit in, or in a file.
struct Tokens {
  io::TokenizerPtr tokenizer;                 ///< null where there is none, or a check does not know it
  std::int64_t vocab = -1;                    ///< how many ids there are; -1: unknown in a check
  std::int64_t count = -1;                    ///< -1: unknown in a check
  std::vector<std::byte> ids;                 ///< none in a check
  std::shared_ptr<const io::TokenFile> file;  ///< where they are instead, or null

  void set_tokenizer(io::TokenizerPtr by) {
    tokenizer = std::move(by);
    if (tokenizer) vocab = tokenizer->vocab();
  }
  void set(const std::vector<std::int32_t>& numbers);
  /// Tokens from `first` on. Of a file: any thread may call it, and it throws IoError.
  void read(std::int64_t first, std::span<std::int32_t> to) const;
};

/// How a file of tokens keeps them where nobody says it: in 16 bits if all ids fit, otherwise in 32.
io::StoredType token_type(std::int64_t vocab);

/// The object of a text from the token `first` on.
eval::ObjectPtr token_text(std::shared_ptr<const Tokens> tokens, std::int64_t first, std::int64_t count);

/// The methods encode(string): a list of ids; decode(ids, end): the text of a tensor or list of ids, a list of texts
/// for a tensor with two dims, each up to the first `end`.
eval::BuiltinPtr encode_by(const io::TokenizerPtr& tokenizer);
eval::BuiltinPtr decode_by(const io::TokenizerPtr& tokenizer);

}  // namespace mtf::library
