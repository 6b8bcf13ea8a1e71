#pragma once
// Costs as formulas in the script's names: `2·batch·io·hidden / (rows·cols) + hidden / cols`.
//
// A formula is a sum of monomials: a rational number times powers of symbols. A symbol is a dim or an axis. If an axis
// does not divide a dim, the symbol is the size of the largest block, `⌈batch/rows⌉`. Each symbol has a value, so a
// formula has a value too.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "types/cost.h"

namespace mtf::cost {

class Formula {
 public:
  /// Adds a cost or a formula, `times` times.
  void add(const Cost& cost, int64_t times = 1);
  void add(const Formula& other, int64_t times = 1);

  /// Returns this formula with the symbol values of `other`. A symbol with another value becomes a number.
  Formula with_symbols_of(const Formula& other) const;

  bool is_zero() const { return terms_.empty(); }
  double value() const;

  /// Returns the formula without terms of lower order. A term is of lower order if its symbols are a part of another
  /// term's (`hidden` beside `io·hidden`).
  Formula leading() const;
  /// Returns this formula divided by a formula of one term.
  Formula over(const Formula& divisor) const;
  size_t terms() const { return terms_.size(); }
  const std::vector<std::pair<std::string, double>>& symbols() const { return symbols_; }

  /// Prints the formula; `0` if it has no terms. Dims have the order in which the script's costs named them.
  std::string text() const;

 private:
  struct Number {
    int64_t numerator = 1, denominator = 1;
  };
  using Powers = std::map<std::string, int>;  ///< of symbols; axes have negative powers
  void add(Powers powers, Number number);
  int place_of(const std::string& symbol) const;

  std::map<Powers, Number> terms_;
  std::vector<std::pair<std::string, double>> symbols_;  ///< with their values, in the order of first use
  void multiply(Powers& powers, Number& number, const std::string& symbol, double value, int power);
};

}  // namespace mtf::cost
