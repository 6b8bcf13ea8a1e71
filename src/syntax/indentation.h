#pragma once

// Private to src/syntax.

#include <optional>

#include "support/source.h"

namespace mtf::syntax {

// Guesses from the indentation which block lacks its `}`: it is told what begins a line in a block, and remembers the
// first that stands further left than what belongs into that block.
class Indentation {
 public:
  struct Guess {
    Span open;   // the `{`
    Span below;  // what stands too far left to be in its block
  };

  // `first` begins a line in the block of `open`, or is the `}` that closes it.
  void look_at(Span first, Span open);
  const std::optional<Guess>& guess() const { return guess_; }

 private:
  std::optional<Guess> guess_;
};

}  // namespace mtf::syntax
