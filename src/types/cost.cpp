#include "types/cost.h"

#include <cmath>

#include "types/saturating.h"

namespace mtf {

int64_t BlockSize::value() const {
  int64_t size = dim.size;
  for (const Axis& axis : axes) size = ceil_div(size, axis.size);
  return size;
}

double Product::value() const {
  double value = static_cast<double>(numerator) / static_cast<double>(denominator);
  for (const BlockSize& factor : factors) value *= static_cast<double>(factor.value());
  return value;
}

void Cost::add(Product product) {
  if (product.numerator == 0) return;
  for (Product& term : terms_) {
    if (term.denominator != product.denominator || term.factors != product.factors) continue;
    term.numerator = saturating_add(term.numerator, product.numerator);
    return;
  }
  terms_.push_back(std::move(product));
}

void Cost::add(const Cost& other) {
  for (const Product& term : other.terms_) add(term);
}

Cost Cost::times(int64_t numerator, int64_t denominator) const {
  Cost result = *this;
  if (numerator == 0) result.terms_.clear();
  for (Product& term : result.terms_) {
    term.numerator = saturating_multiply(term.numerator, numerator);
    term.denominator *= denominator;
  }
  return result;
}

int64_t Cost::value() const {
  int64_t whole = 0;
  double rest = 0;
  for (const Product& term : terms_) {
    int64_t n = term.numerator;
    for (const BlockSize& factor : term.factors) n = saturating_multiply(n, factor.value());
    if (n == kMost) return kMost;
    if (n % term.denominator == 0)
      whole = saturating_add(whole, n / term.denominator);
    else
      rest += static_cast<double>(n) / static_cast<double>(term.denominator);
  }
  return saturating_add(whole, std::llround(rest));
}

std::string to_string(const Cost& cost) {
  std::string text;
  for (const Product& term : cost.terms()) {
    if (!text.empty()) text += " + ";
    std::string product;
    if (term.numerator != 1 || term.denominator != 1 || term.factors.empty()) {
      product = std::to_string(term.numerator);
      if (term.denominator != 1) product += "/" + std::to_string(term.denominator);
    }
    for (const BlockSize& factor : term.factors) {
      if (!product.empty()) product += "·";
      product += factor.dim.name.str();
      for (size_t i = 0; i < factor.axes.size(); ++i) product += (i ? "+" : "/") + factor.axes[i].name.str();
    }
    text += product;
  }
  return text.empty() ? "0" : text;
}

}  // namespace mtf
