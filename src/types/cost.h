#pragma once
// Costs as formulas.
//
// The size of a block is a product of dims over axes, `batch/rows * io`. An axis that does not divide its dim stands
// for ceil(n/k). A cost is a sum of such products with rational coefficients. It stays symbolic until it is printed or
// evaluated, so that it can be shown as in papers.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "types/dim.h"
#include "types/mesh.h"

namespace mtf {

/// A dim over the axes that split it: the size of its largest block.
struct BlockSize {
  Dim dim;
  std::vector<Axis> axes;
  int64_t value() const;
  bool operator==(const BlockSize&) const = default;
};

/// numerator/denominator times a product of block sizes.
struct Product {
  int64_t numerator = 1;
  int64_t denominator = 1;
  std::vector<BlockSize> factors;
  double value() const;
};

class Cost {
 public:
  Cost() = default;
  explicit Cost(Product product) { add(std::move(product)); }
  void add(Product product);  ///< joins terms with the same factors and denominator
  void add(const Cost& other);
  Cost times(int64_t numerator, int64_t denominator = 1) const;
  /// The exact value, rounded to the nearest integer, but at most kMost (types/saturating.h).
  int64_t value() const;
  const std::vector<Product>& terms() const;

 private:
  std::vector<Product>& own_terms();

  std::shared_ptr<std::vector<Product>> terms_;  ///< null: no terms. Copies share them until one changes
};

/// `2·batch/rows·io + hidden/cols`
std::string to_string(const Cost& cost);

}  // namespace mtf
