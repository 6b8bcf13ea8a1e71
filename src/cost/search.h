#pragma once
// Finds the mesh and the layout under which a script takes the least time by a machine model.
//
// A candidate is a mesh and, for each dim of the program, the axes that split it. A mesh is a list of axes whose
// product is the number of processors. The search is a branch and bound over the dims, those with the most work first.
//
// The lower bound is the arithmetic. An axis divides the work of an operation only if a rule gives the axis to a dim of
// the operation, or to a related dim. A rename or a reshape makes dims related. While a dim is undecided, every axis is
// assumed to divide its work. Two more rules save work:
//
// - Candidates that differ only in the names of equal axes count as one, if nothing else mentions axes.
// - A program that depends on no undecided dim is costed, and its time becomes part of the bound
// (cost/program_times.h).
//
// The search skips no candidate that could be one of those asked for, so its result is exact. If layers repeat,
// candidates are ranked by the time of a few layers, and the best are costed completely. The result is then exact if no
// such time has a larger error than kRepeatedError.
//
// A large program under three axes has thousands of such candidates. Then the search first costs the candidates with
// the least estimated times (cost/time_estimate.h), so that the bound leaves out many others. It costs a limited number
// of the rest, and the result says if the limit was reached.
//
// If memory is limited, the search costs no candidate whose estimated peak is too large (cost/peak_estimate.h). If no
// candidate fits, it plans the candidates with the least estimates to find their real peaks.
//
// On request, a candidate also says by path how params and states are stored (PathRule). The search tries this only
// with the fastest rules of dims: for params, states or both, over each set of axes. So its result with such rules is
// the best of these candidates, not of all.
#include <functional>
#include <optional>
#include <vector>

#include "cost/layout_costs.h"
#include "cost/repeated_costs.h"

namespace mtf::cost {

/// The progress of a search.
struct SearchProgress {
  int64_t looked_at = 0;       ///< candidates that were costed or ranked
  std::optional<double> best;  ///< seconds of the best candidate so far
};

struct SearchQuestion {
  int64_t processors = 1;
  std::vector<Name> axes;                 ///< the names of the axes; a mesh has at most as many
  std::optional<std::vector<Axis>> mesh;  ///< the only mesh to try
  Layout pinned;         ///< fixed rules of dims, where a rule without axes means unsplit; and all rules by path
  bool stored = false;   ///< also tries rules by path, unless `pinned` has some
  std::size_t most = 2;  ///< how many candidates are asked for; at least 1
  std::optional<int64_t> memory;  ///< bytes of each processor
  /// Returns the peak of a candidate. Needed with `memory`; called for candidates that could be the result.
  std::function<int64_t(const MeshPtr&, const LayoutPtr&)> peak;
  const RepeatedCosts* repeated = nullptr;                 ///< of the same script, if its layers repeat
  std::function<void(const SearchProgress&)> on_progress;  ///< called often; its exceptions end the search
};

struct Candidate {
  MeshPtr mesh;
  LayoutPtr rules;
  ScriptCost cost;
};

struct SearchResult {
  std::vector<Candidate> found;  ///< the best, of each time one, ascending; empty if no candidate fits
  const Candidate* best() const { return found.empty() ? nullptr : &found[0]; }
  const Candidate* second() const { return found.size() < 2 ? nullptr : &found[1]; }
  int64_t ranked = 0;       ///< candidates that were ranked by a few layers
  int64_t costed = 0;       ///< candidates that were costed completely, or until they were too slow
  int64_t too_large = 0;    ///< candidates that were looked at and did not fit
  bool is_complete = true;  ///< each candidate that could be one of those asked for was costed
  bool is_ended = false;    ///< an interrupt ended the search: `found` are the best of what it had costed until then
  /// The smallest candidate, if none fits.
  struct Least {
    Candidate candidate;  ///< the candidate with the smallest peak that was found; the peak is in its counters
    double stored = 0;    ///< approximate part of the peak that params, states and other inputs take, from 0 to 1
    /// The approximate number of processors with which a candidate would fit; nothing if 64 times as many do not
    /// suffice.
    std::optional<int64_t> processors;
    std::optional<double> in_parts;  ///< approximate peak with rules by path, if none were tried and they would help
  };
  std::optional<Least> least;
};

/// Runs the search. `costs` must have a machine. An interrupt ends it (check_interrupt): with the best candidates so
/// far, or with the UserError if there is none.
SearchResult search(const LayoutCosts& costs, const SearchQuestion& question);

}  // namespace mtf::cost
