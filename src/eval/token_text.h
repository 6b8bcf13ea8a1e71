#pragma once
// Texts as tokens: what data.text and data.tokens give.
#include <cstdint>
#include <memory>
#include <vector>

#include "eval/evaluator.h"
#include "io/text.h"
#include "io/tokenizer.h"

namespace mtf {

/// The numbers of a text's tokens, each in as few bytes as all ids fit in.
struct Tokens {
  TokenizerPtr tokenizer;        ///< null where a check does not know it
  std::int64_t count = -1;       ///< -1: unknown in a check
  std::vector<std::byte> ids;    ///< none in a check

  std::int32_t id(std::int64_t index) const { return id_at(ids, id_bytes(tokenizer->vocab()), index); }
  void set(const std::vector<std::int32_t>& numbers);
};

/// The object of a text from the token `first` on.
ObjectPtr token_text(std::shared_ptr<const Tokens> tokens, std::int64_t first, std::int64_t count);

/// encode(string): a list of ids; decode(ids, end): the text of a tensor or list of ids, a list of texts for a tensor with two
/// dims, each up to the first `end`.
HostValue encode(const TokenizerPtr& tokenizer, Arguments& arguments);
HostValue decode(Evaluator& evaluator, const TokenizerPtr& tokenizer, Arguments& arguments);

}  // namespace mtf
