#pragma once
// The losses in a program's output: `step 50: loss 0.0779`.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::tool {

/// Losses in the form of a drawing, without numbers that are not finite.
struct LossCurve {
  struct Point {
    double x = 0;
    double loss = 0;
  };
  std::vector<Point> points;
  bool is_by_step = false;  ///< x is the step; otherwise x counts the losses from 1 on
};

class Losses {
 public:
  struct Loss {
    double number = 0;
    std::optional<double> step;  ///< the number after the word `step` on the same line
  };
  /// Reads the numbers after each word that ends with `loss`, in any case.
  void read(std::string_view text);
  /// Returns the last loss as it was printed; empty if there is none.
  const std::string& last() const { return last_; }
  const std::vector<Loss>& all() const { return all_; }
  /// Returns the losses by their steps, if any line has a step. A loss without a step gets the previous step.
  LossCurve curve() const;
  /// Begins another statement, without a last loss.
  void begin() { last_.clear(); }

 private:
  void read_line(std::string_view line);
  std::vector<Loss> all_;
  std::string last_;
};

/// Draws a curve from left to right, with `rows` lines and at most `columns` columns including its scale. Each column
/// is the mean of its losses. Returns an empty text if there is nothing to draw.
std::string plot(const LossCurve& curve, std::size_t columns, std::size_t rows);

/// Draws a curve from left to right as a self-contained SVG with scales. The curve restarts where the steps restart.
std::string curve_svg(const LossCurve& curve, const std::string& title);

}  // namespace mtf::tool
