#pragma once
// The losses in a program's output, `step 50: train loss 0.0779, valid loss 0.09`, and in logs; pictures of them.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::tool {

/// The losses of one name, without numbers that are not finite.
struct Curve {
  struct Point {
    double x = 0;
    double loss = 0;
  };
  std::string name;  ///< `train`, `valid`; `loss` if the program gives no name; with several runs also the run
  std::vector<Point> points;
  std::size_t run = 0;  ///< the number of the run, from 0 on
};

/// Curves over the same x.
struct Curves {
  std::vector<Curve> curves;
  std::string x = "losses printed";  ///< what x is: `step`, `epoch`, or a count of losses from 1 on
  std::size_t runs = 1;
  bool is_log = false;  ///< losses are drawn on a logarithmic scale; those that are not positive are left out
};

class Losses {
 public:
  struct Loss {
    double number = 0;
    std::string name = "loss";    ///< the words before: `train loss 3`, `train_loss: 3`, `train: loss 3`
    std::optional<double> step;   ///< the number after the word `step` on the same line
    std::optional<double> epoch;  ///< likewise
  };
  /// Reads the numbers after each word that ends with `loss`, in any case.
  void read(std::string_view text);
  /// Returns the last loss as it was printed; empty if there is none.
  const std::string& last() const { return last_; }
  const std::vector<Loss>& all() const { return all_; }
  /// Returns a curve for each name, by steps if any line has a step, else by epochs if any line has one. `x` can ask
  /// for one of them. A loss without a step gets the previous step.
  Curves curves(const std::string& x = "") const;
  /// Begins another statement, without a last loss.
  void begin() { last_.clear(); }

 private:
  void read_line(std::string_view line);
  std::vector<Loss> all_;
  std::string last_;
};

/// How curves are read from a file.
struct CurveQuestion {
  std::string x;                    ///< a field; empty: `step`, else `epoch`, else the number of the line
  std::vector<std::string> fields;  ///< empty: the fields with `loss` in their names, or all numbers if there is none
};

/// Returns the curves of a log of JSON objects, of a table with commas, or of a program's output. Throws UserError
/// (bad_file_format) for a wrong line of JSON, and (bad_option_value) for a field that the file lacks.
Curves curves_of_file(const std::string& file, const std::string& text, const CurveQuestion& question);
/// Returns the curves of several runs as one picture. `names` are the names of the runs.
Curves joined_runs(std::vector<Curves> runs, const std::vector<std::string>& names);

/// Draws curves from left to right, with `rows` lines and at most `columns` columns including the scale. Each column is
/// the mean of its losses. Returns an empty text if there is nothing to draw.
std::string plot(const Curves& curves, std::size_t columns, std::size_t rows);

/// Draws curves from left to right as a self-contained SVG with scales and names. A curve restarts where its steps
/// restart.
std::string curve_svg(const Curves& curves, const std::string& title);

}  // namespace mtf::tool
