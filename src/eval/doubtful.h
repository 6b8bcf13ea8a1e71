#pragma once
// A part of a program that a plan walks although only the run knows whether, or how often, it is executed.
//
//     Doubtful part(doubts, {condition, Doubt::Kind::kWays});
//     … the part is evaluated …
//     part.end();
//
// The end of the part is a cut. It computes, and so counts, all operations made in the part, even if their results are
// never read. If anything was computed, the figures of the current statement are an estimate. Does nothing in a check
// or a run.
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

  /// Notes that a plan cannot count the operation at `span`, because only the run knows its operands.
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
  /// Ends the part, while the values made in it are still held. May be called again if the part continues.
  void end();

 private:
  DoubtfulParts* doubts_;
  plan::Doubt doubt_;
  int64_t added_;
  int64_t plans_;
};

}  // namespace mtf::eval
