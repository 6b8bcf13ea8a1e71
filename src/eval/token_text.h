#pragma once
// Texts as tokens: what data.text and data.tokens give.
#include <cstdint>
#include <memory>
#include <vector>

#include "eval/evaluator.h"
#include "io/tokenizer.h"

namespace mtf {

/// The numbers of a text's tokens, each in as few bytes as all ids fit in.
struct Tokens {
  TokenizerPtr tokenizer;        ///< null where a check does not know it
  std::int64_t count = -1;       ///< -1: unknown in a check
  std::vector<std::byte> ids;    ///< none in a check

  /// 1, 2 or 4, as the vocabulary asks.
  int id_bytes() const { return tokenizer->vocab() <= 0x100 ? 1 : tokenizer->vocab() <= 0x10000 ? 2 : 4; }
  std::int32_t id(std::int64_t index) const;
  void set(const std::vector<std::int32_t>& numbers);
};

/// The object of a text from the token `first` on.
ObjectPtr token_text(std::shared_ptr<const Tokens> tokens, std::int64_t first, std::int64_t count);

/// encode(string): a list of ids; decode(ids, end): the text of a tensor or list of ids, a list of texts for a tensor with two
/// dims, each up to the first `end`.
HostValue encode(const TokenizerPtr& tokenizer, Arguments& arguments);
HostValue decode(Evaluator& evaluator, const TokenizerPtr& tokenizer, Arguments& arguments);

/// A method of an object as a value.
HostValue method(Name name, std::function<HostValue(Evaluator&, Arguments&)> call);

}  // namespace mtf
