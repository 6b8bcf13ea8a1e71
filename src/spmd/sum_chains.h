#pragma once
// Sums of several terms that are partial over different axes.
//
// In a chain of additions, each sum has the next addition as its only consumer. Its terms that are partial over the
// same axes are added before they are reduced. For instance, ((a + p) + b) + q becomes (a + b) + (p + q), and p + q is
// reduced once.
//
// A number may have terms that are partial over different axes: a norm over parameters with different shardings, for
// instance. Then each processor takes its share of a term along the axes that the term lacks (shared_out). All terms
// are now partial over the same axes, and one reduction is enough.
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "spmd/decider.h"

namespace mtf::spmd {

/// A term of a chain of additions, or the sum of the terms that are partial over the same axes.
struct Term {
  int value = -1;  ///< a local value
  AxisSet axes = 0;
  bool zero = false;  ///< a constant zero
};

class SumChains {
 public:
  /// Adds the instructions of an addition and returns the sum. It stays partial if both terms are partial over the same
  /// axes.
  using Add = std::function<Term(int addition, const Term& a, const Term& b)>;

  /// All of them must outlive the object.
  SumChains(const graph::Program& graph, const std::vector<std::string>& names, LocalBuilder& local,
            const Decider& decider, Add add)
      : graph_(graph), names_(names), local_(local), decider_(decider), add_(std::move(add)) {}

  /// What became of an addition.
  struct Lowered {
    std::optional<int> sum;   ///< the local value of the sum; none: its terms stay separate
    std::vector<Term> terms;  ///< one for each set of axes
  };
  /// Lowers addition `index` if it has terms that stay separate, otherwise returns nothing. `term_of` returns an
  /// operand that is no such addition.
  std::optional<Lowered> lower(int index, const std::function<Term(graph::ProgramValue)>& term_of);

 private:
  using Terms = std::vector<Term>;

  bool may_join(const Term& term, const Term& sum) const;
  Terms added_by_axes(int addition, const Terms& terms);
  int added_up(int addition, Terms terms);

  const graph::Program& graph_;
  const std::vector<std::string>& names_;
  LocalBuilder& local_;
  const Decider& decider_;
  const Add add_;
  std::unordered_map<int32_t, Terms> separate_;  ///< of additions, until the next one
};

}  // namespace mtf::spmd
