#pragma once
// A part of a program that a plan walks although only the run knows whether, or how often, it comes there.
//
//     Doubtful part(evaluator, {condition, Doubt::Kind::kWays});
//     … what stands there is evaluated …
//     part.end();
//
// What has been made there is computed at its end, so that it counts, whatever becomes of its values. If anything was
// computed in it, the figures of the statement under way are an estimate. In a check or a run it does nothing.
#include <cstdint>

#include "plan/doubt.h"

namespace mtf {

class Evaluator;

class [[nodiscard]] Doubtful {
 public:
  Doubtful(Evaluator& evaluator, const Doubt& doubt);
  /// What has been made there is still held. It may be ended again, if it goes on.
  void end();

 private:
  Evaluator* evaluator_;
  Doubt doubt_;
  int64_t added_;
  int64_t plans_;
};

/// A plan cannot count what stands at `span`, whose operands only the run knows.
void uncounted(Evaluator& evaluator, Span span);

}  // namespace mtf
