#pragma once
// Makes random programs: draws one line after the other, and keeps the lines that the checks accept and whose elements
// stay within bounds.
#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

#include "random_program.h"

namespace mtf::properties {

/// Numbers from a seed, the same on every machine.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& list) {
    return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))];
  }

 private:
  std::mt19937_64 random_;
};

/// The known facts about a tensor besides its type.
struct Facts {
  double low = 0, high = 0;  ///< bounds of its elements
  double error = 0;          ///< the difference between two runs in epsilons; 0: the same bits
  bool summed = false;       ///< it depends on a sum: equal numbers, but 0 may be -0
  static Facts between(double low, double high) { return {low, high, 0, false}; }
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};

struct Variable {
  std::string name;
  ElementType element;
  Dims dims;
  Facts facts;
};

/// `[a, b]`
inline std::string text_of(const Dims& dims) {
  std::string text;
  for (const Dim& dim : dims) text += (text.empty() ? "" : ", ") + dim.name.str();
  return "[" + text + "]";
}

inline Dims without(const Dims& dims, const Dims& gone) {
  Dims rest;
  for (const Dim& dim : dims)
    if (!has_dim(gone, dim.name)) rest.push_back(dim);
  return rest;
}

/// True if no dim has two different sizes in the two lists.
inline bool agree(const Dims& a, const Dims& b) {
  return std::all_of(a.begin(), a.end(), [&](const Dim& dim) {
    const int other = find_dim(b, dim.name);
    return other < 0 || b[static_cast<size_t>(other)].size == dim.size;
  });
}

/// Maps dims to axes, while there are axes left. No axis has two dims.
std::string drawn_layout(const std::vector<std::string>& dims, std::vector<std::string> axes, Dice& dice);

inline bool is_number(ElementType element) { return element != ElementType::kBool; }

class Generator {
 public:
  explicit Generator(uint64_t seed);
  RandomProgram make();

 private:
  // Each draws one line of its kind. Returns false if there was no operand, or the line was refused.
  bool unary();
  bool binary();
  bool comparison();
  bool truth();
  bool select();
  bool reduction();
  bool contraction();
  bool renaming();
  bool reshaping();
  bool broadcasting();
  bool slicing();
  bool joining();
  bool moving();
  bool running_sum();
  bool lookup();
  bool ordering();
  bool casting();
  bool creating();
  bool calling();
  bool loop();
  bool real_function();
  bool normalising();
  bool averaging();
  void add_gradient();

  void declare_dims();
  void draw_inputs();
  void draw_placing();
  void place_lines();

  /// Adds `let v = expression` if the checks accept the expression and its bounds allow it.
  bool add(const std::string& expression, const Facts& facts, const std::vector<const Variable*>& reads);
  bool add_text(const std::string& text, const std::string& name, const Facts& facts,
                const std::vector<const Variable*>& reads);
  bool fits(ElementType element, const Facts& facts) const;
  std::string next_name() const { return "v" + std::to_string(variables_.size()); }
  std::string declare(const std::string& name, const std::string& size);

  const Variable* any();
  template <typename Filter>
  const Variable* any(Filter filter);
  const Variable* number();        ///< not bool
  const Variable* exact_number();  ///< allowed as an operand of discontinuous operations
  const Variable* real();
  const Variable* with_dims(bool bool_too = false);
  const Dim& dim_of(const Variable& x) { return dice_.pick(x.dims); }
  bool at_declared_size(const Variable& x) const;
  int64_t declared(Name name) const;
  Dims some_dims(const Dims& from, int percent);
  Facts moved(const Variable& x) const { return x.facts; }
  Facts summed(double low, double high, double terms, double error) const;
  Facts smooth(double low, double high, double slope, const Variable& x) const;

  Dice dice_;
  RandomProgram program_;
  bool integers_;
  bool differentiable_ = false;
  ElementType real_;
  Evaluation evaluation_;
  Dims dims_;                       ///< the dims from which tensors are drawn
  std::vector<Dim> declared_;       ///< all
  std::deque<Variable> variables_;  ///< elements keep their addresses while others are added
  std::string mesh_;
  std::vector<std::string> axes_;
  std::vector<std::string> meshes_, layouts_;  ///< names that `use` can name
};

template <typename Filter>
const Variable* Generator::any(Filter filter) {
  std::vector<const Variable*> fitting;
  for (size_t i = 0; i < variables_.size(); ++i)
    if (filter(variables_[i]))
      fitting.insert(fitting.end(), 1 + 3 * i / variables_.size(), &variables_[i]);  // prefers late variables
  return fitting.empty() ? nullptr : dice_.pick(fitting);
}

}  // namespace mtf::properties
