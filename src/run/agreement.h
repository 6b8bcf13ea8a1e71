#pragma once
// Ranks evaluate the same program, and meet wherever they exchange anything: to compute, to read a value, to share a
// file, at the end. Where they meet they first compare what for. Ranks that have come apart (a node holds another
// version of the script, say) would wait for each other for ever, or take one thing for another; so they stop, and say
// where they are.
#include <string>
#include <string_view>

#include "plan/compiler.h"
#include "run/transport.h"
#include "support/source.h"

namespace mtf::run {

/// Fails (ranks_disagree) unless all ranks are here with the same key. `place` is where this rank's program is, `what`
/// says what it does there: "computes", "is at the end of the script". True if some rank `wants_end`.
bool agree(Transport& transport, const plan::PlanKey& key, Span place, std::string_view what, bool wants_end = false);

/// A hash (XXH3) of all that ranks have been given so far, in order: numbers of the host, literals, data.
class Digest {
 public:
  void add(std::string_view bytes);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

}  // namespace mtf::run
