#pragma once
// Agreement of ranks. Ranks evaluate the same program. They meet to compute, to read a value, to share a file, and at
// the end.
//
// Whenever ranks meet, they first compare what they are about to do. Ranks may run different programs, for instance if
// one node has another version of the script. Such ranks would wait for each other for ever, or exchange data with
// different meanings. Instead they stop, and report where each of them is.
#include <string>
#include <string_view>

#include "plan/compiler.h"
#include "run/transport.h"
#include "support/source.h"

namespace mtf::run {

/// Fails (ranks_disagree) unless all ranks call it with the same key. `place` is the source position of this rank.
/// `what` says what the rank does there: "computes", "is at the end of the script". Returns true if some rank
/// `wants_end`.
bool agree(Transport& transport, const plan::PlanKey& key, Span place, std::string_view what, bool wants_end = false);

/// A hash (XXH3) of all data that this rank has received so far, in order: host numbers, literals, tensors.
class Digest {
 public:
  void add(std::string_view bytes);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

}  // namespace mtf::run
