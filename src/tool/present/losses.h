#pragma once
// The losses that a program prints: `step 50: loss 0.0779`.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::tool {

/// Losses as they are drawn. Numbers that are not finite are left out.
struct LossCurve {
  struct Point {
    double x = 0;
    double loss = 0;
  };
  std::vector<Point> points;
  bool is_by_step = false;  ///< else x counts the losses, from 1 on
};

class Losses {
 public:
  struct Loss {
    double number = 0;
    std::optional<double> step;  ///< the number behind the word `step` on its line
  };
  /// Takes the numbers that stand behind a word that ends in `loss`, whatever its case.
  void read(std::string_view text);
  /// The last one, as it was printed; empty if there is none.
  const std::string& last() const { return last_; }
  const std::vector<Loss>& all() const { return all_; }
  /// By their steps, if any says one: a loss that says none stands where the one before it does.
  LossCurve curve() const;
  /// Another statement begins: there is no last one.
  void begin() { last_.clear(); }

 private:
  void read_line(std::string_view line);
  std::vector<Loss> all_;
  std::string last_;
};

/// A curve from left to right, of `rows` lines and at most `columns` columns with its scale: each column is the mean of
/// what falls into it. Empty if there is nothing to draw.
std::string plot(const LossCurve& curve, std::size_t columns, std::size_t rows);

/// A curve from left to right, a self-contained SVG with its scales. It begins anew where steps do.
std::string curve_svg(const LossCurve& curve, const std::string& title);

}  // namespace mtf::tool
