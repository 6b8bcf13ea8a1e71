#include "types/cost.h"

#include <cmath>

#include "support/integers.h"
#include "support/own_names.h"
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

const std::vector<Product>& Cost::terms() const {
  static const std::vector<Product> none;
  return terms_ ? *terms_ : none;
}

std::vector<Product>& Cost::own_terms() {
  if (!terms_) terms_ = std::make_shared<std::vector<Product>>();
  else if (terms_.use_count() > 1) terms_ = std::make_shared<std::vector<Product>>(*terms_);
  return *terms_;
}

void Cost::add(Product product) {
  if (product.numerator == 0) return;
  std::vector<Product>& terms = own_terms();
  for (Product& term : terms) {
    if (term.denominator != product.denominator || term.factors != product.factors) continue;
    term.numerator = saturating_add(term.numerator, product.numerator);
    return;
  }
  terms.push_back(std::move(product));
}

void Cost::add(const Cost& other) {
  if (!terms_) terms_ = other.terms_;
  else
    for (const Product& term : other.terms()) add(term);
}

Cost Cost::times(int64_t numerator, int64_t denominator) const {
  Cost result = *this;
  if (numerator == 0) result.terms_.reset();
  if (!result.terms_ || (numerator == 1 && denominator == 1)) return result;
  for (Product& term : result.own_terms()) {
    term.numerator = saturating_multiply(term.numerator, numerator);
    term.denominator *= denominator;
  }
  return result;
}

int64_t Cost::value() const {
  int64_t whole = 0;
  double rest = 0;
  for (const Product& term : terms()) {
    int64_t n = term.numerator;
    for (const BlockSize& factor : term.factors) n = saturating_multiply(n, factor.value());
    if (n == kMost) return kMost;
    if (n % term.denominator == 0) whole = saturating_add(whole, n / term.denominator);
    else rest += static_cast<double>(n) / static_cast<double>(term.denominator);
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
  return text.empty() ? "0" : settled(std::move(text));
}

}  // namespace mtf
