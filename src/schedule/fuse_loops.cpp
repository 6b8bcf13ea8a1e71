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
        readers_(program_.values.size()) {}

  void run() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      add(static_cast<int>(i));
      if (steps_[i].kind == StepKind::kLoop) join(static_cast<int>(i));
    }
    emit();
  }

 private:
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

  bool can_join(int a, int b) const {
    const Cluster &x = clusters_[a], &y = clusters_[b];
    return fits(x, y) && keeps_replicas_late(x, y) && same_space(x.members[0], y.members[0]) && readable(y, a) &&
           readable(x, b);
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
  std::vector<Cluster> clusters_;          // by the first of their steps; those merged into another are empty
  Contraction order_;                      // of steps
  std::vector<int> maker_;                 // for each value, the step that makes it
  std::vector<std::vector<int>> readers_;  // for each value, loops that read it
};

}  // namespace

void fuse_loops(Schedule& schedule) { Fuser(schedule).run(); }

}  // namespace mtf::schedule
