#include "cost/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/text.h"

namespace mtf::cost {
namespace {

bool is_axis_power(int power) { return power < 0; }

}  // namespace

int Formula::place_of(const std::string& symbol) const {
  for (size_t i = 0; i < symbols_.size(); ++i)
    if (symbols_[i].first == symbol) return static_cast<int>(i);
  return -1;
}

void Formula::add(Powers powers, Number number) {
  std::erase_if(powers, [](const auto& each) { return each.second == 0; });
  const auto [at, fresh] = terms_.try_emplace(std::move(powers), number);
  if (!fresh) {
    Number& sum = at->second;
    const int64_t common = std::lcm(sum.denominator, number.denominator);
    sum = {sum.numerator * (common / sum.denominator) + number.numerator * (common / number.denominator), common};
  }
  Number& reduced = at->second;
  const int64_t divisor = std::gcd(reduced.numerator, reduced.denominator);
  if (divisor > 1) reduced = {reduced.numerator / divisor, reduced.denominator / divisor};
}

void Formula::multiply(Powers& powers, Number& number, const std::string& symbol, double value, int power) {
  const int known = place_of(symbol);
  if (known < 0) symbols_.emplace_back(symbol, value);
  if (known < 0 || symbols_[known].second == value) {
    powers[symbol] += power;
    return;
  }
  // The symbol has another value in this formula, so the number is used instead.
  for (int i = 0; i < std::abs(power); ++i)
    (power > 0 ? number.numerator : number.denominator) *= static_cast<int64_t>(value);
}

void Formula::add(const Cost& cost, int64_t times) {
  for (const Product& product : cost.terms()) {
    Number number{product.numerator * times, product.denominator};
    Powers powers;
    for (const BlockSize& factor : product.factors) {
      const std::string dim = factor.dim.name.plain().str();
      int64_t parts = 1;
      std::vector<std::string> axes;
      for (const Axis& axis : factor.axes) {
        parts *= axis.size;
        axes.push_back(axis.name.str());
      }
      if (factor.dim.size % parts != 0) {
        multiply(powers, number,
                 fmt::format("⌈{}/{}⌉", dim, axes.size() > 1 ? "(" + mtf::join(axes, "·") + ")" : axes[0]),
                 static_cast<double>(factor.value()), 1);
        continue;
      }
      if (dim.empty()) number.numerator *= factor.dim.size;
      else multiply(powers, number, dim, static_cast<double>(factor.dim.size), 1);
      for (const Axis& axis : factor.axes)
        multiply(powers, number, axis.name.str(), static_cast<double>(axis.size), -1);
    }
    if (number.numerator != 0) add(std::move(powers), number);
  }
}

void Formula::add(const Formula& other, int64_t times) {
  for (const auto& [theirs, coefficient] : other.terms_) {
    Powers powers;
    Number number{coefficient.numerator * times, coefficient.denominator};
    for (const auto& [symbol, value] : other.symbols_)
      if (const auto at = theirs.find(symbol); at != theirs.end()) multiply(powers, number, symbol, value, at->second);
    add(std::move(powers), number);
  }
}

Formula Formula::with_symbols_of(const Formula& other) const {
  Formula result;
  result.symbols_ = other.symbols_;
  result.add(*this);
  return result;
}

double Formula::value() const {
  double sum = 0;
  for (const auto& [powers, number] : terms_) {
    double term = static_cast<double>(number.numerator) / static_cast<double>(number.denominator);
    for (const auto& [symbol, power] : powers) term *= std::pow(symbols_[place_of(symbol)].second, power);
    sum += term;
  }
  return sum;
}

Formula Formula::leading() const {
  const auto dims = [](const Powers& powers) {
    Powers dims;
    for (const auto& [symbol, power] : powers)
      if (!is_axis_power(power)) dims[symbol] = power;
    return dims;
  };
  Formula result;
  result.symbols_ = symbols_;
  for (const auto& [powers, number] : terms_) {
    const Powers mine = dims(powers);
    const bool is_lower = std::any_of(terms_.begin(), terms_.end(), [&](const auto& other) {
      const Powers theirs = dims(other.first);
      return theirs != mine && std::all_of(mine.begin(), mine.end(), [&](const auto& each) {
               const auto at = theirs.find(each.first);
               return at != theirs.end() && at->second >= each.second;
             });
    });
    if (!is_lower) result.terms_.emplace(powers, number);
  }
  return result;
}

Formula Formula::over(const Formula& divisor) const {
  Formula result;
  result.symbols_ = symbols_;
  for (const auto& [symbol, value] : divisor.symbols_)
    if (place_of(symbol) < 0) result.symbols_.emplace_back(symbol, value);
  const auto& [below, by] = *divisor.terms_.begin();
  for (const auto& [powers, number] : terms_) {
    Powers divided = powers;
    for (const auto& [symbol, power] : below) divided[symbol] -= power;
    const int64_t up = std::gcd(number.numerator, by.numerator), down = std::gcd(number.denominator, by.denominator);
    result.add(std::move(divided),
               {(number.numerator / up) * (by.denominator / down), (number.denominator / down) * (by.numerator / up)});
  }
  return result;
}

std::string Formula::text() const {
  std::vector<std::pair<Powers, Number>> terms(terms_.begin(), terms_.end());
  const auto order = [](const auto& term) {
    int sum = 0;
    for (const auto& [symbol, power] : term.first) sum += std::max(power, 0);
    return sum;
  };
  std::stable_sort(terms.begin(), terms.end(), [&](const auto& a, const auto& b) { return order(a) > order(b); });
  std::vector<std::string> texts;
  for (const auto& [powers, number] : terms) {
    std::vector<std::string> above, below;
    if (number.numerator != 1) above.push_back(std::to_string(number.numerator));
    if (number.denominator != 1) below.push_back(std::to_string(number.denominator));
    for (const auto& [symbol, value] : symbols_) {
      const auto at = powers.find(symbol);
      if (at == powers.end()) continue;
      const int times = std::abs(at->second);
      (at->second > 0 ? above : below).push_back(times == 1 ? symbol : fmt::format("{}^{}", symbol, times));
    }
    std::string text = above.empty() ? "1" : mtf::join(above, "·");
    if (!below.empty()) text += " / " + (below.size() > 1 ? "(" + mtf::join(below, "·") + ")" : below[0]);
    texts.push_back(std::move(text));
  }
  return texts.empty() ? "0" : mtf::join(texts, " + ");
}

}  // namespace mtf::cost
