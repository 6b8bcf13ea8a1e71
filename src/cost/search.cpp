#include "cost/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "cost/peak_estimate.h"
#include "cost/program_times.h"
#include "cost/time_estimate.h"
#include "cost/work_bound.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"

namespace mtf::cost {
namespace {

/// Times with a smaller relative difference are equal.
constexpr double kSame = 1e-9;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The largest relative rounding error of a sum of times.
constexpr double kRounding = 1e-12;

/// The number of candidates for which rules by path are tried.
constexpr size_t kMostStored = 12;

/// The operations of all candidates that are costed, and limits for the number of these candidates.
constexpr double kMostOperations = 600'000;
constexpr double kFewestCosted = 48, kMostCosted = 4000;
/// The part of these candidates that are costed for their estimates.
constexpr double kForEstimates = 0.25;
/// A candidate whose arithmetic alone takes so many times the estimate of others is not estimated.
constexpr double kFarOff = 2;

/// Finds every list of at most `most` sizes above 1 whose product is `processors`.
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

/// Returns the axis names that a mesh of the search may have.
std::vector<Name> axes_of(const SearchQuestion& question) {
  if (!question.mesh) return question.axes;
  std::vector<Name> names;
  for (const Axis& axis : *question.mesh) names.push_back(axis.name);
  return names;
}

/// The candidates of a search: meshes, and the axes that may split each dim.
class Candidates {
 protected:
  Candidates(const LayoutCosts& costs, const SearchQuestion& question)
      : costs_(costs), question_(question), bound_(costs, axes_of(question)) {
    for (size_t d = 0; d < bound_.dims().size(); ++d) {
      const LayoutRule* rule = nullptr;
      for (const LayoutRule& each : question.pinned.rules)
        if (each.dim == bound_.dims()[d].name) rule = &each;
      pinned_.push_back(rule);
    }
    is_symmetric_ = interchangeable();
  }

  void begin(const MeshPtr& mesh) {
    mesh_ = mesh;
    axes_.assign(bound_.dims().size(), 0);
  }

  std::vector<MeshPtr> meshes(int64_t processors) const {
    if (question_.mesh) return {std::make_shared<const Mesh>(Name("mesh"), *question_.mesh)};
    std::vector<std::vector<int64_t>> shapes;
    std::vector<int64_t> sizes;
    factor(processors, question_.axes.size(), sizes, shapes);
    std::vector<MeshPtr> meshes;
    for (const std::vector<int64_t>& shape : shapes) {
      // Only the dims that use an axis distinguish it. If axes are interchangeable, one order of their sizes is enough.
      if (interchangeable() && !std::is_sorted(shape.begin(), shape.end())) continue;
      std::vector<Axis> axes;
      for (size_t i = 0; i < shape.size(); ++i) axes.push_back({question_.axes[i], shape[i]});
      if (axes.empty()) axes.push_back({question_.axes[0], 1});
      meshes.push_back(std::make_shared<const Mesh>(Name("mesh"), std::move(axes)));
    }
    return meshes;
  }

  /// True if only the rules of the search mention axes.
  bool interchangeable() const {
    const Layout& pinned = question_.pinned;
    if (!pinned.rules.empty() || !pinned.by_path.empty() || !costs_.machine()->axes.empty()) return false;
    for (const graph::LayoutRecord::Decision& decision : costs_.record().layouts()->decisions())
      if (decision.operation->why.asked) return false;
    return true;
  }

  /// Calls `visit` for each set of axes that may split dim `d`, given the splits of the dims before it.
  template <typename Visit>
  void each_split(size_t d, const Visit& visit) {
    AxisSet taken = 0;
    for (size_t other = 0; other < d; ++other)
      if (bound_.conflict(other, d)) taken |= axes_[other];
    const AxisSet all = axis_bit(mesh_->order()) - 1;
    for (AxisSet set = all;; --set) {
      axes_[d] = set;
      if (!(set & taken) && allowed(d, set) && !mirrors_another(d, set)) visit();
      if (set == 0) return;
    }
  }

  /// True if a visited candidate differs only in the names of axes. Two axes of one size may split the same dims before
  /// `d`. The first dim that only one of them splits must then use the later axis.
  bool mirrors_another(size_t d, AxisSet set) const {
    if (!is_symmetric_) return false;
    for (int a = 0; a < mesh_->order(); ++a) {
      if (!(set & axis_bit(a))) continue;
      for (int b = a + 1; b < mesh_->order(); ++b) {
        if ((set & axis_bit(b)) ||
            mesh_->axes()[static_cast<size_t>(a)].size != mesh_->axes()[static_cast<size_t>(b)].size)
          continue;
        const bool are_alike =
            std::all_of(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(d),
                        [&](AxisSet other) { return ((other & axis_bit(a)) != 0) == ((other & axis_bit(b)) != 0); });
        if (are_alike) return true;
      }
    }
    return false;
  }

  bool allowed(size_t d, AxisSet set) const {
    const int64_t parts = mesh_->group_size(set);
    if (!pinned_[d]) return set == 0 || bound_.dims()[d].size >= parts;
    AxisSet asked = 0;
    for (Name axis : pinned_[d]->axes)
      if (const int index = mesh_->find(axis); index >= 0) asked |= axis_bit(index);
    return set == asked;
  }

  /// Returns the axes that split a dim, in the order of their splits.
  std::vector<Name> names_of(size_t dim) const {
    if (pinned_[dim]) return pinned_[dim]->axes;
    std::vector<Name> names;
    for (int axis = 0; axis < mesh_->order(); ++axis)
      if (axes_[dim] & axis_bit(axis)) names.push_back(mesh_->axes()[static_cast<size_t>(axis)].name);
    return names;
  }

  LayoutPtr rules_of_axes() const {
    auto rules = std::make_shared<Layout>();
    rules->by_path = question_.pinned.by_path;
    for (size_t d = 0; d < axes_.size(); ++d) {
      if (axes_[d] == 0) continue;
      rules->rules.push_back({bound_.dims()[d].name, names_of(d), {}});
    }
    return rules;
  }

  bool states_follow() const {
    return std::all_of(bound_.stored().begin(), bound_.stored().end(),
                       [](const WorkBound::Stored& of) { return of.trainable || of.follows; });
  }

  /// Returns rules that store params (or states) over `axes`, in addition to the rules of `behind`. Each variable is
  /// stored over all of the axes along one of its dims. Dims that are already split over one of the axes come first,
  /// then those with the most bytes.
  std::vector<LayoutRule> stored_rules(const Candidate& behind, bool trainable, AxisSet axes) const {
    const Mesh& mesh = *behind.mesh;
    std::vector<double> bytes(bound_.dims().size());
    for (const WorkBound::Stored& of : bound_.stored())
      for (size_t d : of.dims)
        if (of.trainable == trainable) bytes[d] += of.bytes;
    std::vector<std::pair<double, LayoutRule>> rules;
    for (size_t d = 0; d < bytes.size(); ++d) {
      const LayoutRule* const own = behind.rules->find(bound_.dims()[d].name);
      const bool is_whole = pinned_[d] != nullptr && pinned_[d]->axes.empty();
      if (bytes[d] == 0 || is_whole) continue;
      LayoutRule rule{bound_.dims()[d].name, own ? own->axes : std::vector<Name>(), {}};
      AxisSet split = 0;
      for (Name axis : rule.axes)
        if (const int index = mesh.find(axis); index >= 0) split |= axis_bit(index);
      const bool is_first = (split & axes) != 0;
      for (int axis = 0; axis < mesh.order(); ++axis)
        if (axes & axis_bit(axis) & ~split) rule.axes.push_back(mesh.axes()[static_cast<size_t>(axis)].name);
      if (bound_.dims()[d].size < mesh.group_size(split | axes)) continue;
      rules.emplace_back(is_first ? kNever : bytes[d], std::move(rule));
    }
    std::stable_sort(rules.begin(), rules.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<LayoutRule> needed;  // without rules that split no further variable
    std::vector<bool> is_split(bound_.stored().size());
    for (auto& [weight, rule] : rules) {
      bool is_needed = false;
      for (size_t s = 0; s < is_split.size(); ++s) {
        const WorkBound::Stored& of = bound_.stored()[s];
        const bool has_dim = std::any_of(of.dims.begin(), of.dims.end(),
                                         [&, name = rule.dim](size_t d) { return bound_.dims()[d].name == name; });
        if (of.trainable != trainable || is_split[s] || !has_dim) continue;
        is_needed = is_split[s] = true;
      }
      if (is_needed) needed.push_back(std::move(rule));
    }
    return needed;
  }

  const LayoutCosts& costs_;
  const SearchQuestion& question_;
  const WorkBound bound_;
  std::vector<const LayoutRule*> pinned_;  ///< for each dim its pinned rule, or null
  MeshPtr mesh_;
  std::vector<AxisSet> axes_;  ///< for each dim
  bool is_symmetric_ = false;  ///< only the candidates' rules distinguish axes of one size
};

/// Decides dim after dim, and leaves out candidates that cannot be among the best.
class Searcher : Candidates {
 public:
  Searcher(const LayoutCosts& costs, const SearchQuestion& question)
      : Candidates(costs, question), times_(costs, bound_.dims()) {
    order_programs();
    if (question.memory) peaks_.emplace(costs, bound_, axes_of(question));
  }

  SearchResult run() {
    const std::vector<MeshPtr> meshes = this->meshes(question_.processors);
    try {
      survey(meshes);
      for (const MeshPtr& mesh : meshes) {
        begin(mesh);
        decide(0);
      }
      for (const Ranked& each : std::exchange(quickest_, {})) try_stored(each.candidate);
      cost_ranked();
      if (result_.found.empty() && question_.memory) result_.least = least(meshes);
    } catch (const UserError& error) {
      if (error.diagnostic().kind() != Kind::interrupted) throw;
      result_.is_ended = true;
      const HeedsInterrupt none;
      if (result_.found.empty() && !question_.memory) cost_ranked();
      if (result_.found.empty()) throw;
    }
    return std::move(result_);
  }

 private:
  void tell() const {
    check_interrupt();
    if (!question_.on_progress) return;
    const double best = question_.repeated       ? (abouts_.empty() ? kNever : abouts_.front())
                        : !result_.found.empty() ? result_.found.front().cost.time.total()
                                                 : kNever;
    question_.on_progress(
        {std::max(result_.ranked, result_.costed), std::isinf(best) ? std::nullopt : std::optional(best)});
  }

  /// True if the search tries rules by path.
  bool tries_stored() const {
    return question_.stored && !question_.pinned.stores_by_path() && !bound_.stored().empty();
  }

  double worst_kept() const {
    if (tries_stored())
      return quickest_.size() < kMostStored ? kNever : quickest_.back().seconds * (1 + 2 * kRepeatedError);
    if (question_.repeated) return abouts_.size() < question_.most ? kNever : abouts_.back() * (1 + 2 * kRepeatedError);
    return worst_costed();
  }

  double worst_costed() const {
    return result_.found.size() < question_.most ? kNever : result_.found.back().cost.time.total();
  }

  // ---- estimates ----------------------------------------------------------------------------------------------------

  struct Estimated {
    double seconds = 0;
    MeshPtr mesh;
    std::vector<AxisSet> axes;
    bool operator<(const Estimated& other) const {
      return std::pair(seconds, mesh->order()) < std::pair(other.seconds, other.mesh->order());
    }
  };

  int64_t looked_at() const { return std::max(result_.ranked, result_.costed); }

  /// Returns how many candidates the search may cost.
  size_t most_costed() const {
    double operations = 0;
    for (const auto& entry : costs_.record().programs())
      operations += static_cast<double>(entry.recorded.program.operations.size());
    if (question_.repeated) operations = question_.repeated->operations();
    return static_cast<size_t>(std::clamp(kMostOperations / std::max(operations, 1.0), kFewestCosted, kMostCosted)) +
           question_.most;
  }

  /// If there are more candidates than the search may cost, costs those with the least estimates.
  void survey(const std::vector<MeshPtr>& meshes) {
    most_ = most_costed();
    if (costs_.record().programs().empty()) return;
    const TimeEstimate estimate(costs_, bound_.dims(), axes_of(question_));
    const auto wanted = static_cast<size_t>(kForEstimates * static_cast<double>(most_)) + question_.most;
    std::vector<Estimated> least;  // a heap
    size_t count = 0;
    for (const MeshPtr& mesh : meshes) {
      begin(mesh);
      estimate_from(0, estimate, wanted, least, count);
    }
    if (count <= most_) return;
    std::sort_heap(least.begin(), least.end());
    for (const Estimated& each : least) {
      begin(each.mesh);
      axes_ = each.axes;
      tell();
      known_.emplace(each.mesh, each.axes);
      take({mesh_, rules_of_axes(), {}});
    }
  }

  /// Estimates every way to split dim `d` and the dims after it.
  void estimate_from(size_t d, const TimeEstimate& estimate, size_t wanted, std::vector<Estimated>& least,
                     size_t& count) {
    tell();
    const WorkBound::Decided decided{axes_, d};
    const bool is_full = least.size() == wanted;
    if (is_full && bound_.seconds(*mesh_, decided) > kFarOff * least.front().seconds) return;
    if (peaks_ && peaks_->least_bytes(*mesh_, {axes_, d, tries_stored()}) * (1 - kPeakError) >
                      static_cast<double>(*question_.memory))
      return;
    if (d < axes_.size()) return each_split(d, [&] { estimate_from(d + 1, estimate, wanted, least, count); });
    ++count;
    double seconds = estimate.seconds(*mesh_, axes_);
    if (peaks_ && peaks_->bytes(*mesh_, decided) > static_cast<double>(*question_.memory)) seconds *= kFarOff;
    if (is_full && seconds >= least.front().seconds) return;
    if (is_full) std::pop_heap(least.begin(), least.end()), least.pop_back();
    least.push_back({seconds, mesh_, axes_});
    std::push_heap(least.begin(), least.end());
  }

  /// Tries every way to split dim `d` and the dims after it.
  void decide(size_t d) {
    tell();
    if (!result_.is_complete || is_too_large({axes_, d, tries_stored()}) || is_too_slow(d)) return;
    if (d < axes_.size()) return each_split(d, [&] { decide(d + 1); });
    if (known_.contains({mesh_, axes_})) return;
    if (looked_at() >= static_cast<int64_t>(most_)) result_.is_complete = false;
    else take({mesh_, rules_of_axes(), {}});
  }

  /// True if no completion of `decided` fits into memory.
  bool is_too_large(const WorkBound::Decided& decided) {
    if (!peaks_ || peaks_->least_bytes(*mesh_, decided) * (1 - kPeakError) <= static_cast<double>(*question_.memory))
      return false;
    ++result_.too_large;
    return true;
  }

  /// True if no completion can be one of those asked for, given the splits of the first `d` dims. Programs that depend
  /// only on these dims count with their time, which may be computed here. Other programs count with the lower bound of
  /// their arithmetic.
  bool is_too_slow(size_t d) {
    const WorkBound::Decided decided{axes_, d};
    const double worst = worst_kept();
    double least = bound_.seconds(*mesh_, decided);
    if (least >= worst) return true;
    if (question_.repeated || worst == kNever) return false;
    const int64_t costed_before = times_.costed();
    LayoutPtr rules;
    for (size_t program : programs_) {
      if (!times_.dims(program).empty() && times_.dims(program).back() >= d) continue;
      if (!rules) rules = rules_of_axes();
      const std::optional<double> seconds = times_.seconds(program, mesh_, rules, axes_);
      if (!seconds) return false;  // this program or one before it has an error
      least += *seconds - bound_.seconds(*mesh_, decided, program);
      if (least * (1 - kRounding) < worst) continue;
      if (times_.costed() > costed_before) ++result_.costed;
      return true;
    }
    return false;
  }

  /// Sorts the programs by arithmetic per operation, descending. Costing takes time for each operation, so the first
  /// programs raise the bound most cheaply.
  void order_programs() {
    const MeshPtr alone = std::make_shared<const Mesh>(Name("alone"), std::vector<Axis>{{Name("all"), 1}});
    const std::vector<AxisSet> none(bound_.dims().size());
    std::vector<std::pair<double, size_t>> worth;
    for (size_t i = 0; i < costs_.record().programs().size(); ++i) {
      const double operations = static_cast<double>(costs_.record().programs()[i].recorded.program.operations.size());
      if (costs_.times(i) > 0) worth.emplace_back(-bound_.seconds(*alone, {none, none.size()}, i) / operations, i);
    }
    std::sort(worth.begin(), worth.end());
    for (const auto& [least, program] : worth) programs_.push_back(program);
  }

  /// Ranks or costs a complete candidate. Skips a candidate with an error: two rules may give one axis to one tensor.
  void take(Candidate candidate) {
    try {
      question_.repeated ? rank(std::move(candidate)) : cost(std::move(candidate));
    } catch (const UserError& error) {
      if (error.diagnostic().kind() == Kind::interrupted) throw;
    }
  }

  void cost(Candidate candidate) {
    candidate.cost = costs_.in(candidate.mesh, candidate.rules);
    ++result_.costed;
    note(candidate.cost.time.total(), candidate);
    keep(std::move(candidate));
  }

  // ---- rules by path ------------------------------------------------------------------------------------------------

  /// Remembers a candidate if it is among the fastest, so that rules by path are tried with it.
  void note(double seconds, const Candidate& candidate) {
    if (!tries_stored() || candidate.rules->stores_by_path()) return;
    if (quickest_.size() == kMostStored && seconds >= quickest_.back().seconds) return;
    const auto at = std::upper_bound(quickest_.begin(), quickest_.end(), seconds,
                                     [](double one, const Ranked& other) { return one < other.seconds; });
    quickest_.insert(at, {seconds, {candidate.mesh, candidate.rules, {}}});
    if (quickest_.size() > kMostStored) quickest_.pop_back();
  }

  /// Tries each set of axes for storing params with each set for storing states. States that follow params are stored
  /// like these unless a rule names them.
  void try_stored(const Candidate& behind) {
    const AxisSet all = axis_bit(behind.mesh->order()) - 1;
    for (AxisSet params = 0; params <= all; ++params) {
      for (AxisSet states = 0; states <= all; ++states) {
        if ((params & states) != params || (params | states) == 0) continue;
        tell();
        auto layout = std::make_shared<Layout>(*behind.rules);
        if (params != 0) layout->by_path.push_back({ByPath::kParams, "*", stored_rules(behind, true, params), {}});
        if (states != params || !states_follow())
          layout->by_path.push_back({ByPath::kStates, "*", stored_rules(behind, false, states), {}});
        std::erase_if(layout->by_path, [](const PathRule& rule) { return rule.rules.empty(); });
        if (layout->stores_by_path()) take({behind.mesh, std::move(layout), {}});
      }
    }
  }

  // ---- repeated layers ----------------------------------------------------------------------------------------------

  struct Ranked {
    double seconds = 0;  ///< approximate
    Candidate candidate;
  };

  void rank(Candidate candidate) {
    const RepeatedCosts::About about = question_.repeated->in(candidate.mesh, candidate.rules);
    ++result_.ranked;
    note(about.seconds, candidate);
    if (question_.memory && about.stored_bytes > static_cast<double>(*question_.memory)) {
      ++result_.too_large;
      return;
    }
    ranked_.push_back({about.seconds, std::move(candidate)});
    if (question_.memory) return;  // those that seem best may not fit
    const auto at = std::lower_bound(abouts_.begin(), abouts_.end(), about.seconds * (1 - kSame));
    if (at != abouts_.end() && *at <= about.seconds * (1 + kSame)) return;
    abouts_.insert(at, about.seconds);
    if (abouts_.size() > question_.most) abouts_.pop_back();
  }

  /// Costs completely the candidates that may be among those asked for, the best first. Candidates with equal times are
  /// sorted by their numbers of rules and of axes.
  void cost_ranked() {
    std::stable_sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) {
      if (std::abs(a.seconds - b.seconds) > kSame * a.seconds) return a.seconds < b.seconds;
      return std::pair(lines_of(a.candidate), a.candidate.mesh->order()) <
             std::pair(lines_of(b.candidate), b.candidate.mesh->order());
    });
    double last = 0;
    for (const Ranked& each : ranked_) {
      if (each.seconds * (1 - kRepeatedError) >= worst_costed()) break;
      if (result_.is_ended && !result_.found.empty()) break;
      if (std::abs(each.seconds - last) <= kSame * last) continue;
      const int64_t refused = result_.too_large;
      cost(each.candidate);
      if (result_.too_large == refused) last = each.seconds;
    }
  }

  // ---- no candidate fits --------------------------------------------------------------------------------------------

  /// A complete set of splits with its estimated peak.
  struct Small {
    double bytes = 0, stored = 0;
    MeshPtr mesh;
    LayoutPtr rules;
    std::vector<AxisSet> axes;
  };
  static constexpr size_t kFewest = 8;            ///< candidates whose real peak is planned
  static constexpr int64_t kMostTried = 200'000;  ///< sets of splits that are estimated

  /// Returns the `count` sets of splits with the least estimates, ascending, without rules by path. Equal estimates are
  /// listed once.
  std::vector<Small> smallest(const std::vector<MeshPtr>& meshes, size_t count) {
    std::vector<Small> found;
    for (const MeshPtr& mesh : meshes) {
      begin(mesh);
      int64_t left = kMostTried;
      shrink(0, found, count, left);
    }
    return found;
  }

  void shrink(size_t d, std::vector<Small>& found, size_t count, int64_t& left) {
    const WorkBound::Decided decided{axes_, d};
    const double bytes = peaks_->bytes(*mesh_, decided);
    if (--left < 0 || (found.size() == count && bytes >= found.back().bytes)) return;
    tell();
    if (d == axes_.size()) {
      if (std::any_of(found.begin(), found.end(),
                      [&](const Small& other) { return std::abs(other.bytes - bytes) <= kSame * bytes; }))
        return;
      found.push_back({bytes, peaks_->stored_bytes(*mesh_, decided), mesh_, rules_of_axes(), axes_});
      std::sort(found.begin(), found.end(), [](const Small& a, const Small& b) { return a.bytes < b.bytes; });
      if (found.size() > count) found.pop_back();
      return;
    }
    each_split(d, [&] { shrink(d + 1, found, count, left); });
  }

  std::optional<SearchResult::Least> least(const std::vector<MeshPtr>& meshes) {
    SearchResult::Least least;
    double about = 0;
    for (const Small& small : smallest(meshes, kFewest)) {
      try {
        const int64_t peak = question_.peak(small.mesh, small.rules);
        if (about > 0 && peak >= least.candidate.cost.counters.peak_bytes) continue;
        about = small.bytes;
        least.candidate = {small.mesh, small.rules, {}};
        least.candidate.cost.counters.peak_bytes = peak;
        least.stored = small.stored / small.bytes;
      } catch (const UserError& error) {  // two rules use one axis
        if (error.diagnostic().kind() == Kind::interrupted) throw;
      }
    }
    if (about == 0) return std::nullopt;
    const double off = static_cast<double>(least.candidate.cost.counters.peak_bytes) / about;
    const auto memory = static_cast<double>(*question_.memory);
    for (int64_t processors = 2 * question_.processors;
         !question_.mesh && !least.processors && processors <= 64 * question_.processors; processors *= 2)
      if (const auto small = smallest(this->meshes(processors), 1); !small.empty() && off * small[0].bytes <= memory)
        least.processors = processors;
    if (!question_.stored && !question_.pinned.stores_by_path() && !bound_.stored().empty()) {
      // Estimates the peak with each param and state stored over all axes, as if their rules were undecided.
      begin(least.candidate.mesh);
      for (size_t d = 0; d < axes_.size(); ++d)
        for (const LayoutRule& rule : least.candidate.rules->rules)
          if (rule.dim == bound_.dims()[d].name)
            for (Name axis : rule.axes) axes_[d] |= axis_bit(mesh_->find(axis));
      const WorkBound::Decided rules{axes_, axes_.size()}, open{axes_, axes_.size(), true};
      const double in_parts = off * (peaks_->bytes(*mesh_, rules) - peaks_->stored_bytes(*mesh_, rules) +
                                     peaks_->stored_bytes(*mesh_, open));
      if (in_parts < 0.9 * off * about) least.in_parts = in_parts;
    }
    return least;
  }

  static bool same_time(const Candidate& a, const Candidate& b) {
    return std::abs(a.cost.time.total() - b.cost.time.total()) <= kSame * a.cost.time.total();
  }

  /// The number of rules. Of candidates with equal times the one with the fewest rules is kept.
  static size_t lines_of(const Candidate& candidate) {
    size_t lines = 0;
    candidate.rules->each_rule([&](const LayoutRule&) { ++lines; });
    return lines;
  }

  void keep(Candidate candidate) {
    if (candidate.cost.time.total() >= worst_costed()) return;
    std::vector<Candidate>& found = result_.found;
    for (Candidate& kept : found) {
      if (!same_time(kept, candidate)) continue;
      if (lines_of(candidate) < lines_of(kept) && fits(candidate)) kept = std::move(candidate);
      return;
    }
    if (!fits(candidate)) return;
    const auto at = std::upper_bound(found.begin(), found.end(), candidate, [](const Candidate& a, const Candidate& b) {
      return a.cost.time.total() < b.cost.time.total();
    });
    found.insert(at, std::move(candidate));
    if (found.size() > question_.most) found.pop_back();
  }

  bool fits(Candidate& candidate) {
    if (!question_.memory) return true;
    const int64_t least = candidate.cost.parameter_bytes + candidate.cost.state_bytes;
    const int64_t needed = least > question_.memory.value()
                               ? least
                               : candidate.cost.counters.peak_bytes = question_.peak(candidate.mesh, candidate.rules);
    if (needed <= *question_.memory) return true;
    ++result_.too_large;
    return false;
  }

  size_t most_ = 0;                                           ///< candidates that may be costed
  std::set<std::pair<MeshPtr, std::vector<AxisSet>>> known_;  ///< candidates that were costed for their estimates
  ProgramTimes times_;
  std::optional<PeakEstimate> peaks_;  ///< set if memory is limited
  std::vector<size_t> programs_;       ///< program numbers, in the order in which their times are asked for
  SearchResult result_;
  std::vector<Ranked> ranked_;
  std::vector<Ranked> quickest_;  ///< the fastest candidates without rules by path, ascending
  std::vector<double> abouts_;    ///< the least different times of the ranked candidates, ascending
};

}  // namespace

SearchResult search(const LayoutCosts& costs, const SearchQuestion& question) {
  return Searcher(costs, question).run();
}

}  // namespace mtf::cost
