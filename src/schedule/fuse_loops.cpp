#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "schedule/passes.h"

namespace mtf {
namespace {

/// A loop longer than this gains nothing: its values no longer fit in registers and L1.
constexpr size_t kMostInstructions = 64;
constexpr size_t kMostArrays = 24;
constexpr size_t kMostReaders = 64;  // of a value, that one more is compared with

/// A set of steps as bits.
class Bits {
 public:
  explicit Bits(size_t n = 0) : words_((n + 63) / 64) {}
  bool has(int i) const { return words_[i / 64] >> (i % 64) & 1; }
  void add(int i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void add(const Bits& other) { for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w]; }

 private:
  std::vector<uint64_t> words_;
};

/// Steps that will run as one, numbered by the first of them.
struct Cluster {
  std::vector<int> members;  ///< steps, ascending
  std::set<int> needs;       ///< clusters that it reads from
  Bits before;               ///< clusters that must run before it
  std::set<int> reads;       ///< values
  bool gone = false;
};

class Fuser {
 public:
  explicit Fuser(Schedule& schedule)
      : schedule_(schedule), program_(schedule.program), steps_(schedule.steps), clusters_(steps_.size()),
        cluster_of_(steps_.size()), maker_(program_.values.size(), -1) {}

  void run() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      add(static_cast<int>(i));
      if (steps_[i].kind == StepKind::kLoop) join(static_cast<int>(i));
    }
    emit();
  }

 private:
  int maker(int value) const {
    int step = maker_[schedule_.alias_of[value]];
    return step < 0 ? -1 : cluster_of_[step];
  }

  void add(int i) {
    Cluster& cluster = clusters_[i];
    cluster_of_[i] = i;
    cluster.members = {i};
    cluster.before = Bits(steps_.size());
    for (int v : steps_[i].reads) {
      cluster.reads.insert(v);
      int from = maker(v);
      if (from < 0) continue;
      cluster.needs.insert(from);
      cluster.before.add(from);
      cluster.before.add(clusters_[from].before);
    }
    for (int v : steps_[i].writes) maker_[v] = i;
  }

  const LocalValue& shape(int step) const {
    const Instruction& instruction = program_.instructions[steps_[step].instructions[0]];
    return program_.values[instruction.node->op->reduction ? instruction.operands[0] : instruction.results[0]];
  }

  bool same_space(int a, int b) const {
    const LocalValue& x = shape(a);
    const LocalValue& y = shape(b);
    if (x.mesh != y.mesh || x.dims.size() != y.dims.size()) return false;
    for (size_t i = 0; i < x.order.size(); ++i)
      if (!(x.dims[x.order[i]] == y.dims[y.order[i]])) return false;
    return program_.values[steps_[a].writes[0]].varies() == program_.values[steps_[b].writes[0]].varies();
  }

  /// What `reader` reads of `from` exists inside the loop: not a reduction's result, nor under other names.
  bool readable(const Cluster& reader, int from) const {
    for (int v : reader.reads) {
      if (maker(v) != from) continue;
      int root = schedule_.alias_of[v];
      const Instruction& maker = program_.instructions[steps_[maker_[root]].instructions[0]];
      if (!is_loop(maker) || maker.node->op->reduction) return false;
      const LocalValue& x = program_.values[v];
      const LocalValue& y = program_.values[root];
      if (x.dims.size() != y.dims.size()) return false;
      for (size_t i = 0; i < x.dims.size(); ++i)
        if (!(x.dims[x.order[i]] == y.dims[y.order[i]])) return false;
    }
    return true;
  }

  /// Nothing else has to run between the two.
  bool adjacent(int a, int b) const {
    for (int n : clusters_[b].needs)
      if (n != a && clusters_[n].before.has(a)) return false;
    for (int n : clusters_[a].needs)
      if (n != b && clusters_[n].before.has(b)) return false;
    return true;
  }

  void join(int step) {
    std::set<int, std::greater<>> candidates;
    for (int v : steps_[step].reads) {
      if (int from = maker(v); from >= 0) candidates.insert(from);
      if (program_.values[v].dims.size() == shape(step).dims.size())
        for (size_t r = readers_[v].size(); r-- > 0 && readers_[v].size() - r <= kMostReaders;) candidates.insert(cluster_of_[readers_[v][r]]);
      readers_[v].push_back(step);
    }
    for (int candidate : candidates) {
      int own = cluster_of_[step];
      if (candidate == own || clusters_[candidate].gone) continue;
      Cluster& a = clusters_[candidate];
      Cluster& b = clusters_[own];
      if (steps_[a.members[0]].kind != StepKind::kLoop || !same_space(a.members[0], step)) continue;
      if (a.members.size() + b.members.size() > kMostInstructions || a.reads.size() + b.reads.size() > kMostArrays) continue;
      if (!readable(b, candidate) || !readable(a, own) || !adjacent(candidate, own)) continue;
      merge(candidate, own);
    }
  }

  void merge(int a, int b) {
    int into = std::min(a, b), gone = std::max(a, b);
    Cluster& kept = clusters_[into];
    Cluster& other = clusters_[gone];
    for (int m : other.members) cluster_of_[m] = into;
    kept.members.insert(kept.members.end(), other.members.begin(), other.members.end());
    std::sort(kept.members.begin(), kept.members.end());
    kept.reads.insert(other.reads.begin(), other.reads.end());
    kept.needs.insert(other.needs.begin(), other.needs.end());
    kept.needs.erase(a);
    kept.needs.erase(b);
    kept.before = Bits(steps_.size());
    for (int n : kept.needs) {
      kept.before.add(n);
      kept.before.add(clusters_[n].before);
    }
    other.gone = true;
    for (size_t i = 0; i < clusters_.size(); ++i) {
      Cluster& c = clusters_[i];
      if (c.members.empty() || c.gone || static_cast<int>(i) == into) continue;
      if (c.needs.erase(gone)) c.needs.insert(into);
      if (c.before.has(a) || c.before.has(b)) {
        c.before.add(into);
        c.before.add(kept.before);
      }
    }
  }

  void emit() {
    std::vector<std::vector<int>> readers(clusters_.size());
    std::vector<int> waits(clusters_.size(), 0);
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (size_t c = 0; c < clusters_.size(); ++c) {
      if (clusters_[c].gone) continue;
      waits[c] = static_cast<int>(clusters_[c].needs.size());
      for (int n : clusters_[c].needs) readers[n].push_back(static_cast<int>(c));
      if (waits[c] == 0) ready.push(static_cast<int>(c));
    }
    std::vector<bool> kept(program_.values.size(), false);
    for (const std::vector<int>& outputs : program_.outputs)
      for (int v : outputs) kept[schedule_.alias_of[v]] = true;
    for (const Cluster& cluster : clusters_)
      if (!cluster.gone)
        for (int v : cluster.reads)
          if (maker(v) != cluster_of_[cluster.members[0]]) kept[schedule_.alias_of[v]] = true;
    std::vector<Step> result;
    while (!ready.empty()) {
      int c = ready.top();
      ready.pop();
      const Cluster& cluster = clusters_[c];
      Step step = std::move(steps_[cluster.members[0]]);
      if (step.kind == StepKind::kLoop) {
        for (size_t m = 1; m < cluster.members.size(); ++m)
          step.instructions.push_back(steps_[cluster.members[m]].instructions[0]);
        make_loop(schedule_, step, kept);
      }
      // A loop that nothing reads is left out.
      if (!step.writes.empty()) result.push_back(std::move(step));
      for (int reader : readers[c])
        if (--waits[reader] == 0) ready.push(reader);
    }
    steps_ = std::move(result);
  }

  Schedule& schedule_;
  const LocalProgram& program_;
  std::vector<Step>& steps_;
  std::vector<Cluster> clusters_;
  std::vector<int> cluster_of_;
  std::vector<int> maker_;                          // for each value, the step that makes it
  std::map<int, std::vector<int>> readers_;         // for each value, the loops that read it
};

}  // namespace

void fuse_loops(Schedule& schedule) { Fuser(schedule).run(); }

}  // namespace mtf
