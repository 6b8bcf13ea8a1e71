#pragma once
// The least that the arithmetic of a script can take under rules of which some are still open.
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cost/layout_costs.h"

namespace mtf::cost {

class WorkBound {
 public:
  /// `axes` are those that a mesh may have, which the script's `@` may name.
  WorkBound(const LayoutCosts& costs, const std::vector<Name>& axes);

  /// The dims of the program that a rule can split, those with the most work first.
  const std::vector<Dim>& dims() const { return dims_; }
  /// A tensor of the program has both, so that no axis can split both.
  bool conflict(size_t a, size_t b) const { return conflicts_.contains(std::minmax(a, b)); }
  /// A param or state of which rules by path can say how it is stored.
  struct Stored {
    bool trainable = true;
    bool follows = false;      ///< another, where no rule speaks of it
    double bytes = 0;          ///< whole
    std::vector<size_t> dims;  ///< of dims(), those that can be split; at least one
  };
  const std::vector<Stored>& stored() const { return stored_; }

  /// What is decided, and what is still open: of the dims, the first `dims` are split over `axes` (a set for each) and
  /// the others may be over any; `stored_open`: params and states may be stored over any axes besides.
  struct Decided {
    const std::vector<AxisSet>& axes;
    size_t dims = 0;
    bool stored_open = false;
  };
  /// What may divide something: of the dims, by number, ascending, and how params and states are stored.
  struct Dividing {
    std::vector<size_t> dims;
    bool stored = false;
  };
  /// What has these dims.
  Dividing dividing(const std::set<Name>& names) const;
  /// Into how many parts at most.
  static double parts(const Dividing& dividing, const Mesh& mesh, const Decided& decided);

  /// Seconds at least, of all programs, or of one, by its number in the record.
  double seconds(const Mesh& mesh, const Decided& decided) const;
  double seconds(const Mesh& mesh, const Decided& decided, size_t program) const;

 private:
  struct Work {
    double seconds = 0;  ///< of all on one processor
    Dividing dividing;
  };
  static double seconds_of(const std::vector<Work>& works, const Mesh& mesh, const Decided& decided);

  std::vector<Dim> dims_;
  std::map<Name, Name> group_;  ///< of each name, one for all that it is related to
  std::vector<Work> works_;
  std::vector<std::vector<Work>> works_of_;  ///< each program's
  std::vector<Stored> stored_;
  std::set<std::pair<size_t, size_t>> conflicts_;
};

}  // namespace mtf::cost
