#include "schedule/repeat_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "schedule/pack.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

constexpr int kSegmentSizes = 24;      // how many sizes of segments are tried, each 0.8 times the one before
constexpr int kStepsWalked = 1 << 21;  // in all trials that leave a step out of the choice
constexpr int kMostWalks = 4000;       // such trials
constexpr int kRounds = 3;             // how often cheap candidates are added to the best choice
constexpr int kCostLevels = 8;         // how many bounds on the cost of a saved byte are tried
constexpr int kPrefixes = 64;          // how many lengths of the part that takes the next level are told apart

/// Chooses the steps to repeat.
class RepeatChooser {
 public:
  RepeatChooser(StepFacts& facts, int64_t limit) : facts_(facts), limit_(limit) {}

  std::vector<char> choose() {
    const std::vector<char> none(static_cast<size_t>(facts_.size()), 0);
    const Trial as_is(facts_, none);
    const std::vector<int64_t> in_use = as_is.in_use();
    best_ = none;
    least_ = in_use.empty() ? 0 : *std::max_element(in_use.begin(), in_use.end());
    if (least_ <= limit_) return best_;
    find_candidates(in_use);
    find_levels();
    if (levels_.empty()) return best_;
    for (int k = 0; k <= kSegmentSizes; ++k) try_segments(k == 0 ? kMost : segment_bytes(k));
    const int walks = std::clamp(kStepsWalked / std::max(facts_.size(), 1), 64, kMostWalks);
    for (const std::vector<char>& start : {best_, none})
      if (walks_ = 2 * walks; least_ > limit_) reduce(start);
    if (walks_ = walks; least_ <= limit_) improve();
    return best_;
  }

 private:
  /// Finds the steps whose results are kept while too much is in use, and the end of their early reads: the last read
  /// before the longest time with too much in use. Other steps have no late reads.
  void find_candidates(const std::vector<int64_t>& in_use) {
    std::vector<int> above(in_use.size() + 1, 0);  // positions before this one with too much in use
    for (size_t p = 0; p < in_use.size(); ++p) above[p + 1] = above[p] + (in_use[p] > limit_);
    for (int s = 0; s < facts_.size(); ++s) {
      Facts& facts = facts_[s];
      std::vector<int> uses = {s};
      for (const Written& written : facts.written)
        if (written.may_repeat) uses.insert(uses.end(), written.users.begin(), written.users.end());
      std::sort(uses.begin(), uses.end());
      facts.early = uses.back();
      int longest = 0;
      for (size_t i = 1; i < uses.size(); ++i)
        if (above[uses[i]] - above[uses[i - 1] + 1] > 0 && uses[i] - uses[i - 1] > longest)
          longest = uses[i] - uses[i - 1], facts.early = uses[i - 1];
      if (!facts.may_repeat || longest == 0) continue;
      for (const Written& written : facts.written) {
        if (!written.may_repeat || written.users.empty() || written.users.back() <= facts.early) continue;
        facts.is_candidate = true;
        facts.saved += written.bytes;
      }
      total_ += facts.saved;
    }
  }

  /// Finds the cost of each saved byte: of its step, and of the steps before it whose results nobody keeps.
  void find_levels() {
    chain_.assign(static_cast<size_t>(facts_.size()), 0);
    std::vector<double> densities;
    for (int s = 0; s < facts_.size(); ++s) {
      const Facts& facts = facts_[s];
      if (!facts.may_repeat) continue;
      chain_[s] = facts.cost;
      for (const int v : facts.reads)
        if (const int maker = facts_.maker(v); maker >= 0 && facts_[maker].may_repeat && !facts_[maker].is_candidate)
          chain_[s] += chain_[maker];
      if (facts.is_candidate && facts.saved > 0) densities.push_back(density(s));
    }
    std::sort(densities.begin(), densities.end());
    densities.erase(std::unique(densities.begin(), densities.end()), densities.end());
    for (int k = 1; k <= kCostLevels && !densities.empty(); ++k) {
      const double level = densities[densities.size() * static_cast<size_t>(k) / kCostLevels -
                                     (densities.size() * static_cast<size_t>(k) >= kCostLevels ? 1 : 0)];
      if (levels_.empty() || level > levels_.back()) levels_.push_back(level);
    }
  }

  double density(int s) const { return chain_[s] / static_cast<double>(facts_[s].saved); }

  int64_t segment_bytes(int k) const {
    return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(total_) * std::pow(0.8, k)));
  }

  /// Chooses every saved value up to a cost, and what leads to it. Values that cross the ends of segments stay.
  std::vector<char> chosen(double level, int64_t segment) const {
    std::vector<char> chosen(static_cast<size_t>(facts_.size()), 0);
    for (int s = facts_.size() - 1; s >= 0; --s) {
      const Facts& facts = facts_[s];
      if (facts.is_candidate && facts.saved > 0 && density(s) <= level) chosen[s] = 1;
      if (!chosen[s]) continue;
      for (const int v : facts.reads)
        if (const int maker = facts_.maker(v); maker >= 0 && facts_[maker].may_repeat && !facts_[maker].is_candidate)
          chosen[maker] = 1;
    }
    if (segment < kMost) end_segments(chosen, segment);
    return chosen;
  }

  /// Ends a segment where the fewest bytes cross its end, in the second half of the bytes that it may have (Chen et
  /// al. 2016, algorithm 3).
  void end_segments(std::vector<char>& chosen, int64_t segment) const {
    std::vector<int64_t> crossing(static_cast<size_t>(facts_.size()) + 1, 0);
    for (int s = 0; s < facts_.size(); ++s)
      for (const Written& written : facts_[s].written)
        if (chosen[s]) {
          const int until = last_early(s, written);
          if (until > s) crossing[s] += written.bytes, crossing[until] -= written.bytes;
        }
    std::partial_sum(crossing.begin(), crossing.end(), crossing.begin());
    int begin = 0, best = -1;
    int64_t bytes = 0;
    for (int s = 0; s < facts_.size(); ++s) {
      if (chosen[s]) bytes += facts_[s].saved;
      if (bytes >= segment / 2 && chosen[s] && (best < 0 || crossing[s] <= crossing[best])) best = s;
      if (bytes <= segment || best < 0) continue;
      for (int k = begin; k <= best; ++k)
        for (const Written& written : facts_[k].written)
          if (chosen[k] && last_early(k, written) > best) chosen[k] = 0;
      begin = best + 1;
      s = best, best = -1, bytes = 0;
    }
  }

  int last_early(int s, const Written& written) const {
    const auto late = std::upper_bound(written.users.begin(), written.users.end(), facts_[s].early);
    return late == written.users.begin() ? s : *(late - 1);
  }

  void try_segments(int64_t segment) {
    std::vector<char> below(static_cast<size_t>(facts_.size()), 0);
    for (const double level : levels_) {
      check_interrupt();
      if (least_ <= limit_ && Trial(facts_, below).cost() >= cost_) return;  // no mixture costs less
      std::vector<char> now = chosen(level, segment);
      if (consider(now)) return shorten(below, now);
      below = std::move(now);
    }
  }

  /// Returns the bytes beyond the limit, summed over all positions, and the peak.
  std::pair<double, int64_t> excess(const std::vector<char>& repeated) const {
    double sum = 0;
    int64_t peak = 0;
    for (const int64_t bytes : Trial(facts_, repeated).in_use()) {
      sum += static_cast<double>(std::max<int64_t>(bytes - limit_, 0));
      peak = std::max(peak, bytes);
    }
    return {sum, peak};
  }

  /// Adds the producers of the operands of chosen steps, from `last` back to `first`.
  std::vector<char> with_producers(std::vector<char> chosen, int last, int first) const {
    for (int s = last; s >= first; --s) {
      if (!chosen[s]) continue;
      for (const int v : facts_[s].reads)
        if (const int maker = facts_.maker(v); maker >= 0 && facts_[maker].may_repeat) chosen[maker] = 1;
    }
    return chosen;
  }

  /// Adds steps to a choice, by themselves or with the producers of their operands, or takes a step out, where
  /// fewer bytes are then beyond the limit.
  void reduce(std::vector<char> now) {
    std::pair<double, int64_t> reached = excess(now);
    double& least = reached.first;
    int64_t& peak = reached.second;
    const auto take = [&](std::vector<char> other) {
      check_interrupt();
      --walks_;
      const auto [sum, highest] = excess(other);
      if (sum >= least) return false;
      least = sum, peak = highest, now = std::move(other);
      return true;
    };
    for (bool changed = true; changed && walks_ > 0;) {
      changed = false;
      for (int s = 0; s < facts_.size() && peak > limit_ && walks_ > 0; ++s) {
        if (!facts_[s].may_repeat) continue;
        std::vector<char> other = now;
        other[s] = !other[s];
        bool better = take(other);
        if (!better && other[s]) better = take(with_producers(other, s, s)) || take(with_producers(other, s, 0));
        changed = changed || better;
      }
    }
    consider(now);
  }

  /// Makes the best choice cheaper: takes steps out of it, also after cheap candidates were added that make room.
  void improve() {
    leave_out(best_);
    for (int round = 0; round < kRounds; ++round) {
      const double before = cost_;
      for (const double level : levels_) {
        std::vector<char> more = best_;
        const std::vector<char> cheap = chosen(level, kMost);
        for (size_t s = 0; s < more.size(); ++s) more[s] = more[s] || cheap[s];
        if (more != best_ && Trial(facts_, more).peak() <= limit_) leave_out(std::move(more));
      }
      if (cost_ >= before) return;
    }
  }

  /// Takes steps out of a choice that fits, the dearest first, where it fits without them.
  void leave_out(std::vector<char> now) {
    const Trial first(facts_, now);
    double cost = first.cost();
    std::vector<int> dear = first.copies();
    std::stable_sort(dear.begin(), dear.end(), [&](int a, int b) { return facts_[a].cost > facts_[b].cost; });
    for (const int s : dear) {
      if (--walks_ < 0) break;
      check_interrupt();
      now[s] = 0;
      const Trial trial(facts_, now);
      if (trial.cost() < cost && trial.peak() <= limit_) cost = trial.cost();
      else now[s] = 1;
    }
    consider(now);
  }

  /// Keeps the choice if it is the best so far. Returns true if it fits.
  bool consider(const std::vector<char>& repeated) {
    const Trial trial(facts_, repeated);
    const int64_t peak = trial.peak();
    const double cost = trial.cost();
    const bool fits = peak <= limit_, fitted = least_ <= limit_;
    if (fits ? !fitted || cost < cost_ : !fitted && peak < least_) best_ = repeated, least_ = peak, cost_ = cost;
    return fits;
  }

  /// Finds how few of the first steps must take the more expensive choice.
  void shorten(const std::vector<char>& below, const std::vector<char>& above) {
    int few = 0, many = kPrefixes;
    while (many - few > 1) {
      const int middle = (few + many) / 2;
      std::vector<char> mixed = below;
      std::copy(above.begin(), above.begin() + static_cast<int64_t>(above.size()) * middle / kPrefixes, mixed.begin());
      (consider(mixed) ? many : few) = middle;
    }
  }

  StepFacts& facts_;
  const int64_t limit_;
  int64_t total_ = 0;           // bytes of all candidates
  std::vector<double> chain_;   // for each step
  std::vector<double> levels_;  // costs of a saved byte, ascending
  std::vector<char> best_;      // for each step
  int64_t least_ = 0;           // its peak
  double cost_ = 0;
  int walks_ = 0;  // trials that may still leave a step out
};
}  // namespace

std::vector<char> choose_repeated(StepFacts& facts, int64_t limit) { return RepeatChooser(facts, limit).choose(); }

}  // namespace mtf::schedule
