#include "spmd/sum_chains.h"

#include <algorithm>

#include "spmd/partial_results.h"
#include "spmd/partial_sums.h"

namespace mtf::spmd {

std::optional<SumChains::Lowered> SumChains::lower(int index, const std::function<Term(graph::ProgramValue)>& term_of) {
  if (!is_in_sum(*graph_.operations[index].operation)) return std::nullopt;
  const bool more_come = decider_.more_terms_come(index);
  Terms terms;
  bool apart = false;
  for (const graph::ProgramValue& operand : graph_.operands_of(index)) {
    if (const auto known = operand.is_input() ? separate_.end() : separate_.find(operand.source);
        known != separate_.end()) {
      terms.insert(terms.end(), known->second.begin(), known->second.end());
      separate_.erase(known);
      apart = true;
      continue;
    }
    terms.push_back(term_of(operand));
    apart = apart || (more_come && !may_join(terms[0], terms.back()) && !may_join(terms.back(), terms[0]));
  }
  if (!apart) return std::nullopt;
  terms = added_by_axes(index, terms);
  Lowered lowered{std::nullopt, terms};
  if (decider_.is_link(index)) separate_.emplace(index, std::move(terms));
  else lowered.sum = added_up(index, std::move(terms));
  return lowered;
}

/// True if a term can be added to a sum without a reduction. A zero that is replicated along the axes can be part of
/// any sum over them.
bool SumChains::may_join(const Term& term, const Term& sum) const {
  return term.axes == sum.axes || (term.zero && !(local_[term.value].sharding().split() & sum.axes));
}

SumChains::Terms SumChains::added_by_axes(int addition, const Terms& terms) {
  Terms sums;
  for (const Term& term : terms) {
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const Term& sum) { return sum.axes == term.axes; });
    if (same == sums.end()) sums.push_back(term);
    else *same = add_(addition, *same, term);
  }
  return sums;
}

int SumChains::added_up(int addition, Terms terms) {
  if (graph_.type({addition, 0}).dims.empty()) {  // one number is reduced over all axes
    AxisSet all = 0;
    for (const Term& term : terms) all |= term.axes;
    for (Term& term : terms)
      if (term.axes && term.axes != all)
        term = {shared_out(local_, graph_.operations[addition].operation, names_[addition], term.value, all), all};
    terms = added_by_axes(addition, terms);
  }
  Term sum = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) sum = add_(addition, sum, terms[i]);
  return sum.value;
}

}  // namespace mtf::spmd
