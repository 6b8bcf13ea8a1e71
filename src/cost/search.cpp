#include "cost/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cost/work_bound.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

/// Times that differ by less, as a part of them, are the same.
constexpr double kSame = 1e-9;

/// Every list of at most `most` sizes above 1 whose product is `processors`.
void factor(int64_t processors, size_t most, std::vector<int64_t>& sizes, std::vector<std::vector<int64_t>>& found) {
  if (processors == 1) {
    found.push_back(sizes);
    return;
  }
  if (most == 0) return;
  for (int64_t size = 2; size <= processors; ++size) {
    if (processors % size != 0) continue;
    sizes.push_back(size);
    factor(processors / size, most - 1, sizes, found);
    sizes.pop_back();
  }
}

class Searcher {
 public:
  Searcher(const LayoutCosts& costs, const SearchQuestion& question) : costs_(costs), question_(question), bound_(costs) {
    for (size_t d = 0; d < bound_.dims().size(); ++d) {
      const LayoutRule* rule = nullptr;
      for (const LayoutRule& each : question.pinned)
        if (each.dim == bound_.dims()[d].name) rule = &each;
      pinned_.push_back(rule);
    }
  }

  SearchResult run() {
    for (MeshPtr& mesh : meshes()) {
      mesh_ = std::move(mesh);
      axes_.assign(bound_.dims().size(), 0);
      decide(0);
    }
    cost_ranked();
    return std::move(result_);
  }

 private:
  std::vector<MeshPtr> meshes() const {
    if (question_.mesh) return {std::make_shared<const Mesh>(Name("mesh"), *question_.mesh)};
    std::vector<std::vector<int64_t>> shapes;
    std::vector<int64_t> sizes;
    factor(question_.processors, question_.axes.size(), sizes, shapes);
    std::vector<MeshPtr> meshes;
    for (const std::vector<int64_t>& shape : shapes) {
      // Axes are told apart by who uses them: where only sizes differ, one order is enough, unless they are named otherwise.
      if (interchangeable() && !std::is_sorted(shape.begin(), shape.end())) continue;
      std::vector<Axis> axes;
      for (size_t i = 0; i < shape.size(); ++i) axes.push_back({question_.axes[i], shape[i]});
      if (axes.empty()) axes.push_back({question_.axes[0], 1});
      meshes.push_back(std::make_shared<const Mesh>(Name("mesh"), std::move(axes)));
    }
    return meshes;
  }

  /// Nothing but the rules that are searched speaks of an axis.
  bool interchangeable() const {
    if (!question_.pinned.empty() || !costs_.machine()->axes.empty()) return false;
    for (const LayoutRecord::Decision& decision : costs_.record().layouts()->decisions())
      if (decision.operation->why.asked) return false;
    return true;
  }

  double worst_kept() const {
    if (question_.repeated) return second_about_ * (1 + 2 * kRepeatedError);
    return worst_costed();
  }

  double worst_costed() const { return result_.second ? result_.second->cost.time.total() : std::numeric_limits<double>::infinity(); }

  /// Every way to split dim `d` and those behind it.
  void decide(size_t d) {
    if (bound_.seconds(*mesh_, axes_, d) >= worst_kept()) return;
    if (d == axes_.size()) return take();
    AxisSet taken = 0;
    for (size_t other = 0; other < d; ++other)
      if (bound_.conflict(other, d)) taken |= axes_[other];
    const AxisSet all = axis_bit(mesh_->order()) - 1;
    for (AxisSet set = all;; --set) {
      axes_[d] = set;
      if (!(set & taken) && allowed(d, set)) decide(d + 1);
      if (set == 0) return;
    }
  }

  bool allowed(size_t d, AxisSet set) const {
    const int64_t parts = mesh_->group_size(set);
    if (!pinned_[d]) return set == 0 || bound_.dims()[d].size >= parts;
    AxisSet asked = 0;
    for (Name axis : pinned_[d]->axes)
      if (const int index = mesh_->find(axis); index >= 0) asked |= axis_bit(index);
    return set == asked;
  }

  LayoutPtr rules_of_axes() const {
    auto rules = std::make_shared<Layout>();
    for (size_t d = 0; d < axes_.size(); ++d) {
      if (axes_[d] == 0) continue;
      LayoutRule rule{bound_.dims()[d].name, {}, {}};
      for (int axis = 0; axis < mesh_->order(); ++axis)
        if (axes_[d] & axis_bit(axis)) rule.axes.push_back(mesh_->axes()[axis].name);
      if (pinned_[d]) rule.axes = pinned_[d]->axes;
      rules->rules.push_back(std::move(rule));
    }
    return rules;
  }

  /// A candidate with all decided. Two rules may meet on one axis, where the program says more than its dims.
  void take() {
    try {
      question_.repeated ? rank(rules_of_axes()) : cost({mesh_, rules_of_axes(), {}});
    } catch (const UserError&) {
    }
    if (question_.on_progress) question_.on_progress(std::max(result_.ranked, result_.costed));
  }

  void cost(Candidate candidate) {
    candidate.cost = costs_.in(candidate.mesh, candidate.rules);
    ++result_.costed;
    keep(std::move(candidate));
  }

  // ---- where layers repeat ----

  struct Ranked {
    double seconds = 0;   ///< about
    Candidate candidate;
  };

  void rank(LayoutPtr rules) {
    const RepeatedCosts::About about = question_.repeated->in(mesh_, rules);
    ++result_.ranked;
    if (question_.memory && about.stored_bytes > static_cast<double>(*question_.memory)) {
      ++result_.too_large;
      return;
    }
    ranked_.push_back({about.seconds, {mesh_, std::move(rules), {}}});
    if (question_.memory) return;  // the two that seem best may not fit
    if (about.seconds < least_about_ * (1 - kSame)) second_about_ = std::exchange(least_about_, about.seconds);
    else if (about.seconds > least_about_ * (1 + kSame)) second_about_ = std::min(second_about_, about.seconds);
  }

  /// Costs whole what may be one of the best two, the best first; of those that take the same, what has the fewest rules.
  void cost_ranked() {
    std::stable_sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) {
      if (std::abs(a.seconds - b.seconds) > kSame * a.seconds) return a.seconds < b.seconds;
      return a.candidate.rules->rules.size() < b.candidate.rules->rules.size();
    });
    double last = 0;
    for (Ranked& each : ranked_) {
      if (each.seconds * (1 - kRepeatedError) >= worst_costed()) break;
      if (std::abs(each.seconds - last) <= kSame * last) continue;
      const int64_t refused = result_.too_large;
      cost(std::move(each.candidate));
      if (result_.too_large == refused) last = each.seconds;
    }
  }

  static bool same_time(const Candidate& a, const Candidate& b) {
    return std::abs(a.cost.time.total() - b.cost.time.total()) <= kSame * a.cost.time.total();
  }

  void keep(Candidate candidate) {
    if (candidate.cost.time.total() >= worst_costed()) return;
    auto rules = [](const Candidate& of) { return of.rules->rules.size(); };
    for (std::optional<Candidate>* kept : {&result_.best, &result_.second}) {
      if (!*kept || !same_time(**kept, candidate)) continue;
      if (rules(candidate) < rules(**kept) && fits(candidate)) *kept = std::move(candidate);
      return;
    }
    if (!fits(candidate)) return;
    if (!result_.best || candidate.cost.time.total() < result_.best->cost.time.total()) {
      result_.second = std::move(result_.best);
      result_.best = std::move(candidate);
    } else {
      result_.second = std::move(candidate);
    }
  }

  bool fits(Candidate& candidate) {
    if (!question_.memory) return true;
    const int64_t least = candidate.cost.parameter_bytes + candidate.cost.state_bytes;
    const int64_t needed = least > *question_.memory ? least : candidate.cost.counters.peak_bytes = question_.peak(candidate.mesh, candidate.rules);
    if (needed <= *question_.memory) return true;
    ++result_.too_large;
    return false;
  }

  const LayoutCosts& costs_;
  const SearchQuestion& question_;
  const WorkBound bound_;
  std::vector<const LayoutRule*> pinned_;   ///< of each dim, or null
  MeshPtr mesh_;
  std::vector<AxisSet> axes_;               ///< of each dim
  SearchResult result_;
  std::vector<Ranked> ranked_;
  double least_about_ = std::numeric_limits<double>::infinity();    ///< of what is ranked
  double second_about_ = std::numeric_limits<double>::infinity();   ///< the least that is another
};

}  // namespace

SearchResult search(const LayoutCosts& costs, const SearchQuestion& question) { return Searcher(costs, question).run(); }

}  // namespace mtf
