#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "graph/op.h"
#include "schedule/pack.h"
#include "schedule/passes.h"
#include "spmd/collectives.h"
#include "spmd/instruction_costs.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

constexpr int kNever = std::numeric_limits<int>::max();
constexpr double kFlopsPerByteSent = 1000;  // what a byte on the wire costs, beside the work of a copy
constexpr double kFlopsPerByteWritten = 1;
constexpr int kSegmentSizes = 24;      // how many sizes of segments are tried, each 0.8 times the one before
constexpr int kStepsWalked = 1 << 20;  // in all trials that leave a step out of the choice
constexpr int kCostLevels = 8;         // how many bounds on the cost of a saved byte are tried
constexpr int kPrefixes = 64;          // how many lengths of the part that takes the next level are told apart

/// Returns a copy of the schedule that shares no loop body with it.
Schedule with_own_bodies(const Schedule& schedule) {
  Schedule copy = schedule;
  for (Step& step : copy.steps)
    if (step.iteration) step.iteration = std::make_shared<Schedule>(with_own_bodies(*step.iteration));
  return copy;
}

/// A value that a step writes.
struct Written {
  int value = -1;
  std::vector<int> reads;  ///< the memory that the step reads to make it
  std::vector<int> users;  ///< the steps that read it, ascending
  int64_t bytes = 0;       ///< 0: it lies in the memory of an input that dies
  bool stays = false;      ///< it is an output
  bool may_repeat = true;  ///< a copy of the step may make it again: it does not stay, and nothing reads windows of it
};

/// What the choice knows of a step.
struct Facts {
  std::vector<Written> written;
  std::vector<int> reads;     ///< memory, each once
  int64_t staging = 0;        ///< bytes
  double cost = 0;            ///< of a copy, in flops
  int end = 0;                ///< the last step during which it runs
  int early = 0;              ///< the last step before the longest time in which nothing reads its results
  bool overwrites = false;    ///< it may write a result over an operand
  bool may_repeat = false;    ///< a copy computes the same values
  bool is_candidate = false;  ///< a result is kept for later while too much memory is in use
  int64_t saved = 0;          ///< the bytes of such results
};

/// The steps of a schedule, and who reads their results.
class StepFacts {
 public:
  explicit StepFacts(const Schedule& schedule) : schedule_(schedule), program_(schedule.program) {
    if (std::any_of(schedule.steps.begin(), schedule.steps.end(), [](const Step& step) { return step.iteration; })) {
      planned_ = with_own_bodies(schedule);
      plan_buffers(planned_);  // a loop needs as much as its body's buffers
    }
    find_memory();
    maker_.assign(program_.values.size(), -1);
    spmd::InstructionCosts costs(program_);
    for (int s = 0; s < size(); ++s) facts_.push_back(facts_of(s, costs));
    for (int s = 0; s < size(); ++s)
      for (const int v : facts_[s].reads)
        if (maker_[v] >= 0) written(v).users.push_back(s);
    give_dying_inputs();
    for (int s = 0; s < size(); ++s) find_gap(facts_[s], s);
  }

  int size() const { return static_cast<int>(schedule_.steps.size()); }
  Facts& operator[](int s) { return facts_[s]; }
  const Facts& operator[](int s) const { return facts_[s]; }
  /// Returns the step that writes the memory `value`; -1: an input.
  int maker(int value) const { return maker_[value]; }
  const Written& written(int value) const { return facts_[maker_[value]].written[index_[value]]; }
  /// Returns the value whose memory `value` is, or is a window into.
  int memory(int value) const { return memory_[schedule_.alias_of[value]]; }
  const Schedule& schedule() const { return schedule_; }

 private:
  Written& written(int value) { return facts_[maker_[value]].written[index_[value]]; }

  void find_memory() {
    memory_.resize(program_.values.size());
    std::iota(memory_.begin(), memory_.end(), 0);
    has_window_.assign(program_.values.size(), false);
    index_.assign(program_.values.size(), 0);
    stays_.assign(program_.values.size(), false);
    for (const Step& step : schedule_.steps)
      if (step.kind == StepKind::kWindow) {
        memory_[step.writes[0]] = memory(step.reads[0]);
        has_window_[memory(step.reads[0])] = true;
      }
    for (const std::vector<int>& output : program_.outputs)
      for (const int v : output) stays_[memory(v)] = true;
  }

  int64_t bytes(int v) const {
    return padded(saturating_multiply(largest_block(program_.values[v]), size_of(program_.values[v].element)));
  }

  /// True if a copy of the step computes the same values, whatever ran before it.
  bool may_repeat(const Step& step) const {
    if (step.kind == StepKind::kWindow || step.kind == StepKind::kIterations) return false;
    const auto stays = [&](int v) { return stays_[v] || has_window_[v]; };
    if (step.kind == StepKind::kFusion ? std::all_of(step.writes.begin(), step.writes.end(), stays)
                                       : std::any_of(step.writes.begin(), step.writes.end(), stays))
      return false;
    return std::all_of(step.instructions.begin(), step.instructions.end(), [&](int i) {
      const spmd::InstructionKind kind = program_.instructions[i].kind;
      return kind != spmd::InstructionKind::kTakeOver && kind != spmd::InstructionKind::kFromOwner &&
             kind != spmd::InstructionKind::kToOwner && kind != spmd::InstructionKind::kRemesh;
    });
  }

  Facts facts_of(int s, spmd::InstructionCosts& costs) {
    const Step& step = schedule_.steps[s];
    Facts facts;
    facts.end = step.kind == StepKind::kCollective ? std::max(s, step.finish - 1) : s;
    facts.may_repeat = may_repeat(step);
    facts.overwrites =
        step.kind == StepKind::kFusion ||
        (step.kind == StepKind::kKernel && overwrites_operand(program_.instructions[step.instructions[0]]));
    facts.staging = staging_bytes(step.iteration ? planned_ : schedule_, step.iteration ? planned_.steps[s] : step,
                                  [](const spmd::LocalProgram& program, int v) {
                                    return saturating_multiply(largest_block(program.values[v]),
                                                               size_of(program.values[v].element));
                                  });
    for (const int v : step.reads) add_once(facts.reads, memory(v));
    for (const spmd::InstructionCost& cost : costs.of_step(step.instructions))
      facts.cost += static_cast<double>(cost.flops.value()) + kFlopsPerByteSent * static_cast<double>(cost.wire_bytes);
    if (step.kind == StepKind::kWindow) return facts;
    for (const int v : step.writes) {
      maker_[v] = s, index_[v] = static_cast<int>(facts.written.size());
      facts.written.push_back({v, reads_of(step, v), {}, bytes(v), stays_[v], !stays_[v] && !has_window_[v]});
      facts.cost += kFlopsPerByteWritten * static_cast<double>(facts.written.back().bytes);
    }
    return facts;
  }

  static void add_once(std::vector<int>& all, int value) {
    if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
  }

  /// Returns the memory that a copy of the step reads, which makes `value` alone.
  std::vector<int> reads_of(const Step& step, int value) const {
    std::vector<int> needed = {value}, reads;
    for (auto i = step.instructions.rbegin(); i != step.instructions.rend(); ++i) {
      const spmd::Instruction& instruction = program_.instructions[*i];
      const bool makes = step.kind != StepKind::kFusion ||
                         std::find(needed.begin(), needed.end(), instruction.results[0]) != needed.end();
      if (makes)
        for (const int v : instruction.operands) add_once(needed, schedule_.alias_of[v]);
    }
    for (const int v : step.reads)
      if (std::find(needed.begin(), needed.end(), schedule_.alias_of[v]) != needed.end()) add_once(reads, memory(v));
    return reads;
  }

  /// Outputs that take the memory of dying inputs need none of their own.
  void give_dying_inputs() {
    std::vector<int> last(program_.values.size(), -1);
    for (int s = 0; s < size(); ++s)
      for (const int v : facts_[s].reads) last[v] = s;
    std::vector<std::pair<int, int64_t>> dying;  // the last step that reads it, bytes
    for (const spmd::Instruction& input : program_.instructions)
      if (input.kind == spmd::InstructionKind::kInput && input.dies && !is_host_number(input))
        dying.emplace_back(last[input.results[0]], bytes(input.results[0]));
    std::sort(dying.begin(), dying.end());
    std::vector<std::pair<int64_t, int>> free;  // a count for each size
    size_t next = 0;
    for (int s = 0; s < size(); ++s) {
      const auto of = [&](int64_t size) {
        return std::find_if(free.begin(), free.end(), [&](const auto& each) { return each.first == size; });
      };
      for (; next < dying.size() && dying[next].first <= s; ++next)
        if (const auto at = of(dying[next].second); at != free.end()) ++at->second;
        else free.emplace_back(dying[next].second, 1);
      for (Written& written : facts_[s].written)
        if (const auto at = of(written.bytes); written.stays && at != free.end() && at->second > 0)
          --at->second, written.bytes = 0;
    }
  }

  static void find_gap(Facts& facts, int s) {
    std::vector<int> uses = {s};
    for (const Written& written : facts.written)
      if (written.may_repeat) uses.insert(uses.end(), written.users.begin(), written.users.end());
    std::sort(uses.begin(), uses.end());
    facts.early = uses.back();
    int longest = 1;
    for (size_t i = 1; i < uses.size(); ++i)
      if (uses[i] - uses[i - 1] > longest) longest = uses[i] - uses[i - 1], facts.early = uses[i - 1];
  }

  const Schedule& schedule_;
  const spmd::LocalProgram& program_;
  Schedule planned_;              // with buffers; empty without loops
  std::vector<Facts> facts_;      // for each step
  std::vector<int> memory_;       // for each value with its own memory, or a window
  std::vector<bool> has_window_;  // for each value with its own memory
  std::vector<bool> stays_;       // for each value with its own memory: it is an output
  std::vector<int> maker_;        // for each value: its step; -1: an input
  std::vector<int> index_;        // for each value: its index in Facts::written
};

/// The schedule with copies of chosen steps: each copy runs before the first late reader of its results, or before the
/// first copy that reads them.
class Trial {
 public:
  /// `repeated`, for each step: it is chosen.
  Trial(const StepFacts& facts, const std::vector<char>& repeated)
      : facts_(facts), at_(static_cast<size_t>(facts.size()), kNever), needed_(at_.size()) {
    for (int s = facts_.size() - 1; s >= 0; --s) place(s, repeated[s] != 0);
    put_in_order();
  }

  /// Returns the step before which the copy of `s` runs; kNever: there is none.
  int at(int s) const { return at_[s]; }
  /// Returns the written results that the copy of `s` makes, as indices in Facts::written.
  const std::vector<char>& needed(int s) const { return needed_[s]; }
  /// Returns all copies as they run.
  const std::vector<int>& copies() const { return copies_; }
  double cost() const {
    double cost = 0;
    for (const int s : copies_) cost += facts_[s].cost;
    return cost;
  }

  /// True if a reader of `value`, which the step `s` writes, reads the copy from the step `reader` on.
  bool reads_copy(int s, int value, int reader) const {
    return at_[s] != kNever && reader > facts_[s].early && facts_.written(value).may_repeat;
  }

  /// Returns the bytes in use at each position: at a step, or at a copy before it.
  std::vector<int64_t> in_use() const {
    std::vector<int64_t> change(position_.size() + copies_.size() + 1, 0);
    std::vector<int> last(facts_.schedule().program.values.size(), -1);
    std::vector<int> last_of_copy(last.size(), -1);
    const auto read = [&](int v, int reader, int position) {
      const int maker = facts_.maker(v);
      if (maker < 0) return;
      int& end = (reads_copy(maker, v, reader) ? last_of_copy : last)[v];
      end = std::max(end, position);
    };
    for (int s = 0; s < facts_.size(); ++s)
      for (const int v : facts_[s].reads) read(v, s, position_[facts_[s].end]);
    for (const int s : copies_)
      for (size_t w = 0; w < needed_[s].size(); ++w)
        if (needed_[s][w])
          for (const int v : facts_[s].written[w].reads) read(v, at_[s], copied_at_[s]);
    const auto live = [&](int64_t bytes, int from, int until) {
      change[from] += bytes;
      change[until + 1] -= bytes;
    };
    const int end = static_cast<int>(change.size()) - 2;  // tensors that outlive the run exist while it runs
    for (int s = 0; s < facts_.size(); ++s) {
      const Facts& facts = facts_[s];
      const int from = position_[s], until = position_[facts.end];
      live(facts.staging, from, until);
      for (const Written& written : facts.written)
        live(written.bytes, written.stays ? 0 : from, written.stays ? end : std::max(until, last[written.value]));
      if (at_[s] == kNever) continue;
      live(facts.staging, copied_at_[s], copied_at_[s]);
      for (size_t w = 0; w < needed_[s].size(); ++w)
        if (needed_[s][w])
          live(facts.written[w].bytes, copied_at_[s], std::max(copied_at_[s], last_of_copy[facts.written[w].value]));
    }
    std::vector<int64_t> bytes(change.begin(), change.end() - 1);
    std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
    for (int s = 0; s < facts_.size(); ++s)
      if (facts_[s].overwrites) {
        bytes[position_[s]] -= overwritten(s, s, position_[s], last, last_of_copy);
        if (at_[s] != kNever) bytes[copied_at_[s]] -= overwritten(s, at_[s], copied_at_[s], last, last_of_copy);
      }
    return bytes;
  }

  int64_t peak() const {
    const std::vector<int64_t> bytes = in_use();
    return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
  }

  /// Returns the position of a step among all steps and copies.
  int position(int s) const { return position_[s]; }

 private:
  /// Places the copy of `s`, whose readers and their copies are placed.
  void place(int s, bool repeated) {
    if (!repeated) return;
    const Facts& facts = facts_[s];
    std::vector<char>& needed = needed_[s];
    needed.assign(facts.written.size(), 0);
    for (size_t w = 0; w < facts.written.size(); ++w)
      for (const int user : facts.written[w].users) {
        if (!facts.written[w].may_repeat) break;
        int first = user > facts.early ? user : kNever;
        if (const int copy = at_[user];
            copy != kNever && copy > facts.early && copy_reads(user, facts.written[w].value))
          first = std::min(first, copy);
        if (first != kNever) needed[w] = 1, at_[s] = std::min(at_[s], first);
      }
    if (facts_.schedule().steps[s].kind != StepKind::kFusion && at_[s] != kNever) needed.assign(needed.size(), 1);
  }

  bool copy_reads(int s, int value) const {
    for (size_t w = 0; w < needed_[s].size(); ++w) {
      const std::vector<int>& reads = facts_[s].written[w].reads;
      if (needed_[s][w] && std::find(reads.begin(), reads.end(), value) != reads.end()) return true;
    }
    return false;
  }

  void put_in_order() {
    std::vector<int> count(at_.size() + 1, 0);
    for (const int at : at_)
      if (at != kNever) ++count[at + 1];
    std::partial_sum(count.begin(), count.end(), count.begin());
    position_.resize(at_.size());
    for (size_t s = 0; s < at_.size(); ++s) position_[s] = static_cast<int>(s) + count[s + 1];
    copies_.resize(static_cast<size_t>(count.back()));
    copied_at_.assign(at_.size(), -1);
    for (size_t s = 0; s < at_.size(); ++s) {
      if (at_[s] == kNever) continue;
      const int rank = count[at_[s]]++;
      copies_[rank] = static_cast<int>(s);
      copied_at_[s] = at_[s] + rank;
    }
  }

  /// Returns the bytes of results of `s` that a run at `position` writes over operands.
  int64_t overwritten(int s, int reader, int position, const std::vector<int>& last,
                      const std::vector<int>& last_of_copy) const {
    int64_t bytes = 0;
    const bool is_copy = reader != s;
    std::vector<int64_t> free;
    for (const int v : facts_[s].reads) {
      const int maker = facts_.maker(v);
      if (maker < 0 || facts_.written(v).stays) continue;
      if ((reads_copy(maker, v, reader) ? last_of_copy : last)[v] == position) free.push_back(facts_.written(v).bytes);
    }
    for (size_t w = 0; w < facts_[s].written.size(); ++w) {
      if (is_copy && !needed_[s][w]) continue;
      const auto at = std::find(free.begin(), free.end(), facts_[s].written[w].bytes);
      if (at == free.end()) continue;
      bytes += *at;
      free.erase(at);
    }
    return bytes;
  }

  const StepFacts& facts_;
  std::vector<int> at_;                    // for each step
  std::vector<std::vector<char>> needed_;  // for each step
  std::vector<int> position_, copied_at_;  // for each step: of itself, and of its copy
  std::vector<int> copies_;
};

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
    if (least_ <= limit_) leave_out_dear();
    return best_;
  }

 private:
  void find_candidates(const std::vector<int64_t>& in_use) {
    std::vector<int> above(in_use.size() + 1, 0);  // positions before this one with too much in use
    for (size_t p = 0; p < in_use.size(); ++p) above[p + 1] = above[p] + (in_use[p] > limit_);
    for (int s = 0; s < facts_.size(); ++s) {
      Facts& facts = facts_[s];
      if (!facts.may_repeat) continue;
      for (const Written& written : facts.written) {
        if (!written.may_repeat) continue;
        const auto late = std::upper_bound(written.users.begin(), written.users.end(), facts.early);
        if (late == written.users.end() || above[*late] == above[facts.early + 1]) continue;
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
      std::vector<char> now = chosen(level, segment);
      if (consider(now)) return shorten(below, now);
      below = std::move(now);
    }
  }

  /// Takes the steps that cost most out of the choice, one after the other, where it fits without them.
  void leave_out_dear() {
    std::vector<int> dear;
    for (int s = 0; s < facts_.size(); ++s)
      if (best_[s] && facts_[s].is_candidate) dear.push_back(s);
    std::stable_sort(dear.begin(), dear.end(), [&](int a, int b) { return chain_[a] > chain_[b]; });
    const auto most = static_cast<size_t>(std::clamp(kStepsWalked / std::max(facts_.size(), 1), 16, 400));
    if (dear.size() > most) dear.resize(most);
    for (const int s : dear) {
      std::vector<char> without = best_;
      without[s] = 0;
      consider(without);
    }
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
};

/// Writes the copies into the schedule.
class Copier {
 public:
  Copier(Schedule& schedule, const StepFacts& facts, const Trial& trial)
      : schedule_(schedule), program_(schedule.program), facts_(facts), trial_(trial) {
    copy_.assign(program_.values.size(), -1);
    maker_.assign(program_.values.size(), -1);
    for (size_t i = 0; i < program_.instructions.size(); ++i)
      for (const int v : program_.instructions[i].results) maker_[v] = static_cast<int>(i);
  }

  void run() {
    std::vector<Step> ordered;
    std::vector<int> index(schedule_.steps.size() + 1, 0);
    const std::vector<int>& copies = trial_.copies();
    std::vector<Step> again;  // before the late readers among the originals change their operands
    for (const int s : copies) again.push_back(copy_of(s));
    size_t next = 0;
    for (int s = 0; s < facts_.size(); ++s) {
      for (; next < copies.size() && trial_.at(copies[next]) == s; ++next) {
        ordered.push_back(std::move(again[next]));
        if (ordered.back().kind == StepKind::kCollective) ordered.back().finish = -static_cast<int>(ordered.size());
      }
      index[s] = static_cast<int>(ordered.size());
      Step step = std::move(schedule_.steps[s]);
      read_copies(step, s);
      ordered.push_back(std::move(step));
    }
    index[schedule_.steps.size()] = static_cast<int>(ordered.size());
    for (Step& step : ordered)
      if (step.kind == StepKind::kCollective) step.finish = step.finish < 0 ? -step.finish : index[step.finish];
    schedule_.steps = std::move(ordered);
    make_loops_of_copies();
  }

 private:
  /// Returns the value that a reader at step `reader` reads instead of `v`.
  int read_at(int v, int reader) {
    const int memory = schedule_.alias_of[v], maker = facts_.maker(memory);
    if (maker < 0 || !trial_.reads_copy(maker, memory, reader)) return v;
    MTF_CHECK(copy_[memory] >= 0, "{} is read before it is made again", program_.values[v].name);
    return view_of_copy(v);
  }

  /// Returns the copy of `v`, which is a value that was made again, or a view of one.
  int view_of_copy(int v) {
    if (copy_[v] >= 0) return copy_[v];
    spmd::Instruction view = program_.instructions[maker_[v]];
    view.operands = {view_of_copy(view.operands[0])};
    const int made = add_value(v);
    view.results = {made};
    schedule_.alias_of[made] = schedule_.alias_of[view.operands[0]];
    program_.instructions.push_back(std::move(view));
    return made;
  }

  int add_value(int original) {
    const int made = static_cast<int>(program_.values.size());
    program_.values.push_back(spmd::LocalValue(program_.values[original]));
    schedule_.alias_of.push_back(made);
    copy_.push_back(-1);
    maker_.push_back(-1);
    schedule_.remade.emplace_back(made, original);
    return copy_[original] = made;
  }

  Step copy_of(int s) {
    const Step& original = schedule_.steps[s];
    std::vector<char> needed(original.instructions.size(), original.kind != StepKind::kFusion);
    if (original.kind == StepKind::kFusion) find_needed(s, needed);
    std::vector<int> instructions;
    for (size_t k = 0; k < needed.size(); ++k)
      if (needed[k]) instructions.push_back(copy_instruction(original.instructions[k], s));
    Step step = step_of(program_, instructions);
    step.calls = original.calls;
    step.kind = original.kind;
    return step;
  }

  /// Finds the instructions of a fusion that the needed results depend on.
  void find_needed(int s, std::vector<char>& needed) const {
    const std::vector<int>& instructions = position(s);
    std::vector<int> values;
    for (size_t w = 0; w < facts_[s].written.size(); ++w)
      if (trial_.needed(s)[w]) values.push_back(facts_[s].written[w].value);
    for (size_t k = instructions.size(); k-- > 0;) {
      const spmd::Instruction& instruction = program_.instructions[instructions[k]];
      if (std::find(values.begin(), values.end(), instruction.results[0]) == values.end()) continue;
      needed[k] = 1;
      for (const int v : instruction.operands) values.push_back(schedule_.alias_of[v]);
    }
  }

  const std::vector<int>& position(int s) const { return schedule_.steps[s].instructions; }

  int copy_instruction(int i, int s) {
    spmd::Instruction copy = program_.instructions[i];
    for (int& operand : copy.operands) {
      const int memory = schedule_.alias_of[operand];
      operand =
          facts_.maker(memory) == s || inside_.count(memory) ? view_of_copy(operand) : read_at(operand, trial_.at(s));
    }
    for (int& result : copy.results) {
      const int original = result;
      result = add_value(original);
      inside_.insert(original);
    }
    program_.instructions.push_back(std::move(copy));
    return static_cast<int>(program_.instructions.size()) - 1;
  }

  void read_copies(Step& step, int s) {
    const auto change = [&](int& v) { v = read_at(v, s); };
    std::for_each(step.reads.begin(), step.reads.end(), change);
    for (const int i : step.instructions)
      for (size_t k = 0; k < program_.instructions[i].operands.size(); ++k) {
        const int now = read_at(program_.instructions[i].operands[k], s);  // may add instructions
        program_.instructions[i].operands[k] = now;
      }
    if (step.loop) std::for_each(step.loop->operands.begin(), step.loop->operands.end(), change);
  }

  void make_loops_of_copies() {
    std::vector<bool> kept(program_.values.size(), false);
    std::vector<int> made_in(program_.values.size(), -1);
    for (size_t s = 0; s < schedule_.steps.size(); ++s)
      for (const int v : schedule_.steps[s].writes) made_in[v] = static_cast<int>(s);
    for (size_t s = 0; s < schedule_.steps.size(); ++s)
      for (const int v : schedule_.steps[s].reads)
        if (const int memory = schedule_.alias_of[v]; made_in[memory] != static_cast<int>(s)) kept[memory] = true;
    const std::vector<bool> is_number = host_numbers(program_);
    for (Step& step : schedule_.steps)
      if (step.kind == StepKind::kFusion && !step.loop) make_loop(schedule_, step, kept, is_number);
  }

  Schedule& schedule_;
  spmd::LocalProgram& program_;
  const StepFacts& facts_;
  const Trial& trial_;
  std::vector<int> copy_;   // for each value: its copy, or -1
  std::vector<int> maker_;  // for each value: its instruction
  std::set<int> inside_;    // values that only fusions have, whose fusions are copied
};

}  // namespace

void rematerialize(Schedule& schedule, int64_t limit) {
  StepFacts facts(schedule);
  const std::vector<char> repeated = RepeatChooser(facts, limit).choose();
  const Trial trial(facts, repeated);
  if (!trial.copies().empty()) Copier(schedule, facts, trial).run();
}

void verify_remade(const Schedule& schedule) {
  const spmd::LocalProgram& program = schedule.program;
  std::vector<int> original(program.values.size()), maker(program.values.size(), -1);
  std::iota(original.begin(), original.end(), 0);
  for (const auto& [copy, value] : schedule.remade) original[copy] = value;
  for (size_t i = 0; i < program.instructions.size(); ++i)
    for (const int v : program.instructions[i].results) maker[v] = static_cast<int>(i);
  for (const auto& [copy, value] : schedule.remade) {
    const spmd::Instruction &again = program.instructions[maker[copy]], &first = program.instructions[maker[value]];
    bool is_same = again.kind == first.kind && again.node == first.node && again.origin == first.origin &&
                   again.axes == first.axes && again.operands.size() == first.operands.size();
    for (size_t k = 0; is_same && k < again.operands.size(); ++k)
      is_same = original[again.operands[k]] == original[first.operands[k]];
    MTF_CHECK(is_same, "{} is made again in another way", program.values[value].name);
  }
}

}  // namespace mtf::schedule
