#pragma once
// The losses that a program prints: `step 50: loss 0.0779`.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::tool {

class Losses {
 public:
  /// Takes the numbers that stand behind a word that ends in `loss`, whatever its case.
  void read(std::string_view text);
  /// The last one, as it was printed; empty if there is none.
  const std::string& last() const { return last_; }
  const std::vector<double>& all() const { return all_; }
  /// Another statement begins: there is no last one.
  void begin() { last_.clear(); }

 private:
  std::vector<double> all_;
  std::string last_;
};

/// Numbers as a curve, from left to right, of `rows` lines and at most `columns` columns with its scale. Where there are more
/// numbers than columns, each column is the mean of its share. Numbers that are not finite are left out.
std::string plot(const std::vector<double>& numbers, std::size_t columns, std::size_t rows);

}  // namespace mtf::tool
