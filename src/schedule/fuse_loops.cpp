#include <algorithm>
#include <functional>

#include "graph/op.h"
#include "schedule/contraction.h"
#include "schedule/passes.h"

namespace mtf::schedule {
namespace {

/// A loop longer than this gains nothing: its values no longer fit in registers and L1.
constexpr size_t kMostInstructions = 64;
constexpr size_t kMostArrays = 24;   // that come from elsewhere
constexpr size_t kMostReaders = 64;  // of a value, that one more is compared with

/// Steps that will run as one.
struct Cluster {
  std::vector<int> members;  ///< steps, ascending
  std::vector<int> reads;    ///< values, ascending
  int32_t replica = 0;       ///< not 0: some are computed again, with all that have this number
};

void add_all(std::vector<int>& into, const std::vector<int>& from) {
  into.insert(into.end(), from.begin(), from.end());
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

class Fuser {
 public:
  explicit Fuser(Schedule& schedule)
      : schedule_(schedule),
        program_(schedule.program),
        steps_(schedule.steps),
        clusters_(steps_.size()),
        order_(steps_.size()),
        maker_(program_.values.size(), -1),
        readers_(program_.values.size()),
        all_readers_(program_.values.size()),
        is_kept_(program_.values.size(), false) {}

  void run() {
    find_ends();
    for (size_t i = 0; i < steps_.size(); ++i) {
      add(static_cast<int>(i));
      if (steps_[i].kind == StepKind::kLoop) join(static_cast<int>(i));
    }
    emit();
  }

 private:
  void find_ends() {
    for (const spmd::Instruction& instruction : program_.instructions)
      if (instruction.kind == spmd::InstructionKind::kInput && !instruction.dies)
        is_kept_[instruction.results[0]] = true;
    for (const std::vector<int>& outputs : program_.outputs)
      for (int v : outputs) is_kept_[schedule_.alias_of[v]] = true;
    int others = 0;
    for (size_t i = 0; i < steps_.size(); ++i) {
      for (int v : steps_[i].reads) all_readers_[schedule_.alias_of[v]].push_back(static_cast<int>(i));
      others_before_.push_back(others += steps_[i].kind != StepKind::kLoop);
    }
  }

  /// The cluster that makes a value, or -1.
  int maker(int value) const {
    int step = maker_[schedule_.alias_of[value]];
    return step < 0 ? -1 : order_.of(step);
  }

  void add(int i) {
    std::vector<int> needs;
    for (int v : steps_[i].reads)
      if (int from = maker(v); from >= 0) needs.push_back(from);
    order_.add(i, needs);
    clusters_[i].members = {i};
    add_all(clusters_[i].reads, steps_[i].reads);
    clusters_[i].replica = program_.instructions[steps_[i].instructions[0]].replica;
    for (int v : steps_[i].writes) maker_[v] = i;
  }

  const spmd::LocalValue& shape(int step) const {
    const spmd::Instruction& instruction = program_.instructions[steps_[step].instructions[0]];
    return program_.values[instruction.node->op->reduction ? instruction.operands[0] : instruction.results[0]];
  }

  bool same_space(int a, int b) const {
    const spmd::LocalValue& x = shape(a);
    const spmd::LocalValue& y = shape(b);
    if (x.mesh != y.mesh || x.dims.size() != y.dims.size()) return false;
    for (size_t i = 0; i < x.order.size(); ++i)
      if (!(x.dims[x.order[i]] == y.dims[y.order[i]])) return false;
    return program_.values[steps_[a].writes[0]].varies() == program_.values[steps_[b].writes[0]].varies();
  }

  /// What `reader` reads of the loop `from` exists inside it: not a reduction's result, nor under other names.
  bool readable(const Cluster& reader, int from) const {
    for (int v : reader.reads) {
      if (maker(v) != from) continue;
      int root = schedule_.alias_of[v];
      if (program_.instructions[steps_[maker_[root]].instructions[0]].node->op->reduction) return false;
      const spmd::LocalValue& x = program_.values[v];
      const spmd::LocalValue& y = program_.values[root];
      if (x.dims.size() != y.dims.size()) return false;
      for (size_t i = 0; i < x.dims.size(); ++i)
        if (!(x.dims[x.order[i]] == y.dims[y.order[i]])) return false;
    }
    return true;
  }

  bool fits(const Cluster& a, const Cluster& b) const {
    return a.members.size() + b.members.size() <= kMostInstructions &&
           (a.reads.size() + b.reads.size() <= kMostArrays || arrays(a, b) <= kMostArrays);
  }

  /// How many arrays the two together read that neither makes.
  size_t arrays(const Cluster& a, const Cluster& b) const {
    std::vector<int> reads = a.reads;
    add_all(reads, b.reads);
    return static_cast<size_t>(std::count_if(reads.begin(), reads.end(), [&](int v) {
      const int from = program_.values[v].dims.empty() ? a.members[0] : maker(v);
      return from != a.members[0] && from != b.members[0];
    }));
  }

  /// Joining them computes nothing again before the backward pass that needs it: a loop runs where its first member
  /// stands.
  bool keeps_replicas_late(const Cluster& a, const Cluster& b) const {
    const Cluster& later = a.members[0] < b.members[0] ? b : a;
    return later.replica == 0 || a.replica == b.replica;
  }

  int64_t bytes(int v) const { return largest_block(program_.values[v]) * size_of(program_.values[v].element); }

  /// From the step `from` on, a value is read in these two loops alone.
  bool ends_in(int value, int from, int a, int b) const {
    const std::vector<int>& readers = all_readers_[value];
    for (size_t i = readers.size(); i-- > 0 && readers[i] >= from;)
      if (const int reader = order_.of(readers[i]); reader != a && reader != b) return false;
    return true;
  }

  /// Bytes of what a loop reads and only it and `other` read from the step `from` on.
  int64_t ended(int loop, int from, int other) const {
    int64_t sum = 0;
    for (int v : clusters_[loop].reads)
      if (const int root = schedule_.alias_of[v]; maker(v) != loop && !is_kept_[root])
        sum += ends_in(root, from, loop, other) ? bytes(v) : 0;
    return sum;
  }

  /// Bytes of what a loop makes and others read.
  int64_t made(int loop) const {
    int64_t sum = 0;
    for (int step : clusters_[loop].members)
      for (int v : steps_[step].writes) sum += is_kept_[v] || !ends_in(v, loop, loop, loop) ? bytes(v) : 0;
    return sum;
  }

  /// Bytes of what the later of two loops reads that the other reads or makes.
  int64_t shared(int early, int late) const {
    int64_t sum = 0;
    for (int v : clusters_[late].reads)
      if (maker(v) == early || std::binary_search(clusters_[early].reads.begin(), clusters_[early].reads.end(), v))
        sum += bytes(v);
    return sum;
  }

  /// Nothing between two loops reads what the earlier makes.
  bool can_wait(int early, int late) const {
    for (int step : clusters_[early].members)
      for (int v : steps_[step].writes)
        for (int reader : all_readers_[v]) {
          if (reader >= clusters_[late].members[0]) break;
          if (order_.of(reader) != early) return false;
        }
    return true;
  }

  /// If two loops are joined and something else than loops runs between them, the earlier is the place of both, or the
  /// later if it can wait. What is kept meanwhile is less than what then ends or is not read again.
  bool keeps_little(int a, int b) const {
    const int early = std::min(a, b), late = std::max(a, b);
    if (others_before_[clusters_[early].members.back()] == others_before_[clusters_[late].members[0]]) return true;
    return made(late) < ended(late, early, early) + shared(early, late) ||
           (can_wait(early, late) && ended(early, early, early) < made(early));
  }

  bool can_join(int a, int b) const {
    const Cluster &x = clusters_[a], &y = clusters_[b];
    return fits(x, y) && keeps_replicas_late(x, y) && same_space(x.members[0], y.members[0]) && readable(y, a) &&
           readable(x, b) && keeps_little(a, b);
  }

  /// Joins the loop that `step` is with those that make what it reads, and those that read the same, the latest first.
  void join(int step) {
    std::vector<int> candidates;
    auto consider = [&](int cluster) {
      if (steps_[cluster].kind == StepKind::kLoop && fits(clusters_[cluster], clusters_[step]))
        candidates.push_back(cluster);
    };
    const size_t dims = shape(step).dims.size();
    for (int v : steps_[step].reads) {
      if (int from = maker(v); from >= 0) consider(from);
      if (program_.values[v].dims.size() != dims) continue;
      for (int& reader : readers_[v]) consider(reader = order_.of(reader));
    }
    std::sort(candidates.begin(), candidates.end(), std::greater<>());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (int candidate : candidates) {
      int own = order_.of(step);
      if (candidate == own || order_.of(candidate) != candidate) continue;
      if (can_join(candidate, own) && order_.merge(candidate, own)) merge(candidate, own);
    }
    for (int v : steps_[step].reads)
      if (program_.values[v].dims.size() == dims) add_reader(readers_[v], order_.of(step));
  }

  /// The latest loops that read a value and may become longer.
  void add_reader(std::vector<int>& readers, int cluster) {
    std::erase_if(readers,
                  [&](int r) { return order_.of(r) == cluster || clusters_[r].members.size() >= kMostInstructions; });
    if (readers.size() >= kMostReaders) readers.erase(readers.begin());
    readers.push_back(cluster);
  }

  void merge(int a, int b) {
    Cluster& kept = clusters_[std::min(a, b)];
    Cluster& gone = clusters_[std::max(a, b)];
    add_all(kept.members, gone.members);
    add_all(kept.reads, gone.reads);
    if (kept.replica == 0) kept.replica = gone.replica;
    gone = {};
  }

  void emit() {
    std::vector<Step> result;
    const std::vector<int> order = order_.in_order();
    result.reserve(order.size());
    for (int c : order) {
      const Cluster& cluster = clusters_[c];
      Step& step = result.emplace_back(std::move(steps_[c]));
      if (cluster.members.size() < 2) continue;
      for (size_t m = 1; m < cluster.members.size(); ++m) {
        const Step& other = steps_[cluster.members[m]];
        step.instructions.push_back(other.instructions[0]);
        step.writes.push_back(other.writes[0]);
      }
      step.reads = cluster.reads;
    }
    steps_ = std::move(result);
  }

  Schedule& schedule_;
  const spmd::LocalProgram& program_;
  std::vector<Step>& steps_;
  std::vector<Cluster> clusters_;              // by the first of their steps; those merged into another are empty
  Contraction order_;                          // of steps
  std::vector<int> maker_;                     // for each value, the step that makes it
  std::vector<std::vector<int>> readers_;      // for each value, loops that read it
  std::vector<std::vector<int>> all_readers_;  // for each value with memory of its own, the steps that read it
  std::vector<bool> is_kept_;                  // for each value: it is there after the run, or was before
  std::vector<int> others_before_;             // for each step: those up to it that are no loops
};

}  // namespace

void fuse_loops(Schedule& schedule) { Fuser(schedule).run(); }

}  // namespace mtf::schedule
