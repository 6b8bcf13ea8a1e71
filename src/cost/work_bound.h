#pragma once
// A lower bound for the arithmetic time of a script under rules, some of which are still undecided.
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cost/layout_costs.h"

namespace mtf::cost {

class WorkBound {
 public:
  /// `axes` are the axes that a mesh may have; the script's `@` may name them.
  WorkBound(const LayoutCosts& costs, const std::vector<Name>& axes);

  /// The dims of the program that a rule can split, those with the most work first.
  const std::vector<Dim>& dims() const { return dims_; }
  /// True if a tensor of the program has both dims, so that no axis can split both.
  bool conflict(size_t a, size_t b) const { return conflicts_.contains(std::minmax(a, b)); }
  /// A param or state that rules by path can store in another way.
  struct Stored {
    bool trainable = true;
    bool follows = false;      ///< it copies the layout of another variable unless a rule names it
    double bytes = 0;          ///< of the whole variable
    std::vector<size_t> dims;  ///< indices in dims() of the dims that can be split; at least one
  };
  const std::vector<Stored>& stored() const { return stored_; }

  /// The decided rules. The first `dims` dims are split over `axes` (a set for each dim); any axis may split the other
  /// dims. `stored_open`: params and states may also be stored over any axes.
  struct Decided {
    const std::vector<AxisSet>& axes;
    size_t dims = 0;
    bool stored_open = false;
  };
  /// The rules that may divide a value or its work: those of some dims (ascending indices), and those that store params
  /// and states.
  struct Dividing {
    std::vector<size_t> dims;
    bool stored = false;
  };
  /// Returns the rules that may divide a value with these dims.
  Dividing dividing(const std::set<Name>& names) const;
  /// Returns the largest possible number of parts.
  static double parts(const Dividing& dividing, const Mesh& mesh, const Decided& decided);

  /// Returns a lower bound for the seconds of all programs, or of one program by its number in the record.
  double seconds(const Mesh& mesh, const Decided& decided) const;
  double seconds(const Mesh& mesh, const Decided& decided, size_t program) const;

 private:
  struct Work {
    double seconds = 0;  ///< of the whole work on one processor
    Dividing dividing;
  };
  static double seconds_of(const std::vector<Work>& works, const Mesh& mesh, const Decided& decided);

  std::vector<Dim> dims_;
  std::map<Name, Name> group_;  ///< for each name: one name that stands for its group of related names
  std::vector<Work> works_;
  std::vector<std::vector<Work>> works_of_;  ///< for each program
  std::vector<Stored> stored_;
  std::set<std::pair<size_t, size_t>> conflicts_;
};

}  // namespace mtf::cost
