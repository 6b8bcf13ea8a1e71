#pragma once
// The mesh and the layout under which a script takes least time by a machine model, of all that there are.
//
// A candidate is a mesh (the processors as one axis or several, of any sizes whose product they are) and for each dim
// of the program the axes that split it. The search is a branch and bound over the dims, those of the most work first.
// What bounds it from below is the arithmetic: an axis can only divide the work of an operation if a rule gives it to a
// dim that the operation has, or that is related to one by a rename or a reshape; what is left open divides by all. No
// candidate is left out that could be better than the best two, so the result is exact. Candidates that differ in the
// names of axes of one size alone are one, where nothing else speaks of axes. Where layers repeat, candidates
// are ranked by what a few layers take, and the best costed whole: exact, if no such estimate is further off than said.
// Elsewhere a program that depends on no dim that is still open is costed then (cost/program_times.h), and bounds what
// is left: the dims of a beam search do not have the training step before it costed again for each way to split them.
//
// Where memory is given, nothing is costed of which an estimate says that it cannot fit (cost/peak_estimate.h). Where
// nothing is found, the candidates of the least estimates are planned for the peaks that they have.
//
// Where it is asked for, a candidate also says by path how params and states are stored (StoredRule). That is tried
// behind the rules of dims that take least time alone: params, states, or both, over each set of axes. So what is found
// with such rules is the best of these, not of all.
#include <functional>
#include <optional>
#include <vector>

#include "cost/layout_costs.h"
#include "cost/repeated_costs.h"

namespace mtf::cost {

/// How far a search is.
struct SearchProgress {
  int64_t looked_at = 0;       ///< candidates that were costed, or ranked
  std::optional<double> best;  ///< seconds, of the best so far
};

struct SearchQuestion {
  int64_t processors = 1;
  std::vector<Name> axes;                 ///< the names of the axes; as many as a mesh may have
  std::optional<std::vector<Axis>> mesh;  ///< no other mesh
  Layout pinned;        ///< a dim of these has no other rule; a rule without axes: it is whole; all rules by path
  bool stored = false;  ///< also tries rules by path, unless some are pinned
  std::optional<int64_t> memory;  ///< bytes that each processor has
  /// The peak of a candidate, for those that could be the result; needed with `memory`.
  std::function<int64_t(const MeshPtr&, const LayoutPtr&)> peak;
  const RepeatedCosts* repeated = nullptr;                 ///< of the same script, where its layers repeat
  std::function<void(const SearchProgress&)> on_progress;  ///< called often; what it throws ends the search
};

struct Candidate {
  MeshPtr mesh;
  LayoutPtr rules;
  ScriptCost cost;
};

struct SearchResult {
  std::optional<Candidate> best;    ///< nothing: none fits
  std::optional<Candidate> second;  ///< the best that takes another time
  int64_t ranked = 0;               ///< candidates that were ranked by a few layers
  int64_t costed = 0;               ///< candidates that were costed: whole, or until they took too long
  int64_t too_large = 0;            ///< that did not fit, of those that were looked at
  /// Where none fits.
  struct Least {
    Candidate candidate;  ///< with the smallest peak that was found, in its counters
    double stored = 0;    ///< about which part of it params, states and what else is there take, from 0 to 1
    std::optional<int64_t>
        processors;                  ///< with about so many one would fit; nothing: with none of up to 64 times as many
    std::optional<double> in_parts;  ///< about the peak with rules by path, where none were tried and they would help
  };
  std::optional<Least> least;
};

/// `costs` has a machine.
SearchResult search(const LayoutCosts& costs, const SearchQuestion& question);

}  // namespace mtf::cost
