#include "run/node_sums.h"

#include <algorithm>
#include <cstring>

#include "support/diagnostics.h"
#include "support/integers.h"

namespace mtf::run {

GroupNodes::GroupNodes(const std::vector<int64_t>& tree, const std::vector<int>& nodes,
                       const std::vector<int64_t>& slices)
    : tree_(tree), slices_(slices.size()) {
  std::map<int, size_t> number_of;
  for (size_t member = 0; member < nodes.size(); ++member) {
    const size_t node = number_of.emplace(nodes[member], number_of.size()).first->second;
    if (node == members_.size()) members_.emplace_back();
    node_of_.push_back(node);
    place_.push_back(members_[node].size());
    members_[node].push_back(member);
  }
  size_t before = 0;
  for (const std::vector<size_t>& members : members_) {
    before_.push_back(before);
    before += members.size();
  }
  int64_t begin = 0;
  for (const size_t member : order()) {
    if (slices.empty()) break;
    slices_[member] = {begin, begin + slices[member]};
    begin += slices[member];
  }
  terms_.resize(members_.size());
  find_terms(tree_.size(), 0, nodes.size());
}

void GroupNodes::find_terms(size_t level, size_t index, size_t leaves) {
  const NodeTerm term{level, index, leaves};
  const size_t node = node_of_[term.first()];
  bool is_one = true;
  for (size_t member = term.first(); member < term.last(); ++member) is_one = is_one && node_of_[member] == node;
  if (is_one) {
    terms_[node].push_back(term);
    return;
  }
  const auto children = static_cast<size_t>(tree_[level - 1]);
  for (size_t child = 0; child < children; ++child) find_terms(level - 1, index * children + child, leaves / children);
}

size_t GroupNodes::sums(size_t node) const {
  return static_cast<size_t>(
      std::count_if(terms_[node].begin(), terms_[node].end(), [](const NodeTerm& term) { return term.leaves > 1; }));
}

std::vector<size_t> GroupNodes::order() const {
  std::vector<size_t> all;
  for (const std::vector<size_t>& members : members_) all.insert(all.end(), members.begin(), members.end());
  return all;
}

Interval GroupNodes::share_of(size_t node, int64_t size) const {
  if (!slices_.empty()) return {slices_[members_[node].front()].first, slices_[members_[node].back()].last};
  const int64_t step = ceil_div(size, static_cast<int64_t>(node_of_.size()));
  const auto at = [&](size_t members) { return std::min(size, static_cast<int64_t>(members) * step); };
  return {at(before_[node]), at(before_[node] + members_[node].size())};
}

Interval GroupNodes::part_for(int64_t size, size_t share, size_t member) const {
  const Interval whole = share_of(share, size);
  const int64_t each = ceil_div(whole.size(), static_cast<int64_t>(members_[node_of_[member]].size()));
  const auto place = static_cast<int64_t>(place_[member]);
  return {std::min(whole.last, whole.first + place * each), std::min(whole.last, whole.first + (place + 1) * each)};
}

void SumOfTerms::run(std::byte* result, int64_t count) {
  // Sums of each level are computed in a stretch of their own. The last one is the result, which may be an array.
  scratch_.resize(static_cast<size_t>(kBytes) * (tree_.size() + 1));
  const int64_t stretch = kBytes / elements_.size();
  for (int64_t done = 0; done < count; done += stretch) {
    const int64_t offset = done * elements_.size(), now = std::min(stretch, count - done);
    const std::byte* const sum =
        join(tree_.size(), 0, &scratch_[static_cast<size_t>(kBytes) * tree_.size()], offset, now);
    std::memcpy(result + offset, sum, static_cast<size_t>(now * elements_.size()));
  }
}

const std::byte* SumOfTerms::join(size_t level, size_t index, std::byte* out, int64_t offset, int64_t count) {
  if (const auto term = terms_.find({level, index}); term != terms_.end()) return term->second + offset;
  MTF_CHECK(level > 0, "member {} has sent no term", index);
  const auto children = static_cast<size_t>(tree_[level - 1]);
  const std::byte* sum = join(level - 1, index * children, out, offset, count);
  for (size_t child = 1; child < children; ++child) {
    std::byte* const scratch = &scratch_[static_cast<size_t>(kBytes) * (level - 1)];
    const std::byte* const next = join(level - 1, index * children + child, scratch, offset, count);
    combine(elements_.type, elements_.reduction, sum, next, out, count);
    sum = out;
  }
  return sum;
}

}  // namespace mtf::run
