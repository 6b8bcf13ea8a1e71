#pragma once
// Costs as formulas in the script's names: `2·batch·io·hidden / (rows·cols) + hidden / cols`.
//
// A formula is a sum of monomials: a rational number times powers of symbols. A symbol is a dim, an axis, or, where an
// axis does not divide a dim, the size of the largest block, `⌈batch/rows⌉`. Each symbol has a value, so that a formula
// has one.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "types/cost.h"

namespace mtf::cost {

class Formula {
 public:
  /// `times` over.
  void add(const Cost& cost, int64_t times = 1);
  void add(const Formula& other, int64_t times = 1);

  /// This, where each symbol has the value that it has in `other`: what has another there stands as a number.
  Formula with_symbols_of(const Formula& other) const;

  bool is_zero() const { return terms_.empty(); }
  double value() const;

  /// Without the terms that are of lower order: whose symbols are a part of another term's, as those of `hidden` are of
  /// `io·hidden`.
  Formula leading() const;
  /// This by another formula of one term.
  Formula over(const Formula& divisor) const;
  size_t terms() const { return terms_.size(); }
  const std::vector<std::pair<std::string, double>>& symbols() const { return symbols_; }

  /// `0` for nothing; dims in the order in which the script's costs named them.
  std::string text() const;

 private:
  struct Number {
    int64_t numerator = 1, denominator = 1;
  };
  using Powers = std::map<std::string, int>;  ///< of symbols; those of axes are below 0
  void add(Powers powers, Number number);
  int place_of(const std::string& symbol) const;

  std::map<Powers, Number> terms_;
  std::vector<std::pair<std::string, double>> symbols_;  ///< with their values, in the order of appearance
  void multiply(Powers& powers, Number& number, const std::string& symbol, double value, int power);
};

}  // namespace mtf::cost
