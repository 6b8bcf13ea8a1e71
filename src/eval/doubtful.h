#pragma once
// A part of a program that a plan walks although only the run knows whether, or how often, it comes there.
//
//     Doubtful part(doubts, {condition, Doubt::Kind::kWays});
//     … what stands there is evaluated …
//     part.end();
//
// What has been made there is computed at its end, so that it counts, whatever becomes of its values. If anything was
// computed in it, the figures of the statement under way are an estimate. In a check or a run it does nothing.
#include <cstdint>

#include "eval/abstract.h"
#include "plan/doubt.h"

namespace mtf::ops {
class Builder;  // ops/builder.h
}

namespace mtf::eval {

class Cuts;     // eval/cuts.h
class Reports;  // eval/reports.h

class DoubtfulParts {
 public:
  DoubtfulParts(const AbstractDomain& domain, const ops::Builder& builder, Cuts& cuts, Reports& reports)
      : domain_(domain), builder_(builder), cuts_(cuts), reports_(reports) {}

  /// A plan cannot count what stands at `span`, whose operands only the run knows.
  void uncounted(Span span);

 private:
  friend class Doubtful;
  const AbstractDomain& domain_;
  const ops::Builder& builder_;
  Cuts& cuts_;
  Reports& reports_;
};

class [[nodiscard]] Doubtful {
 public:
  Doubtful(DoubtfulParts& doubts, const plan::Doubt& doubt);
  /// What has been made there is still held. It may be ended again, if it goes on.
  void end();

 private:
  DoubtfulParts* doubts_;
  plan::Doubt doubt_;
  int64_t added_;
  int64_t plans_;
};

}  // namespace mtf::eval
