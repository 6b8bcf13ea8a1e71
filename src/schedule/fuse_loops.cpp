// Fusions are joined across other steps only if that keeps few bytes (keeps_little). In general, a fusion does not wait
// for a later one. Micro-batches, for instance, read the same numbers, masks and states, but each one ends its backward
// pass before the next one begins. And a weight that decays is read twice, in the forward pass and in its update. A
// joined fusion would keep the decayed copy from the forward pass on.
#include <algorithm>
#include <functional>
#include <utility>

#include "graph/op.h"
#include "schedule/contraction.h"
#include "schedule/passes.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

/// A longer fusion gains nothing: its values no longer fit in registers and L1.
constexpr size_t kMostInstructions = 64;
constexpr size_t kMostArrays = 24;   // the most operands from outside the fusion
constexpr size_t kMostReaders = 64;  // the most readers of a value with which a new one is compared

/// Steps that will run as one.
struct Cluster {
  std::vector<int> members;  ///< steps, ascending
  std::vector<int> reads;    ///< values, ascending
  std::vector<int> repeats;  ///< values that each fusion computes for itself, ascending
  int32_t replica = 0;       ///< not 0: some members are recomputed, together with all of this number
  int begins = 0;            ///< the program's step before which it cannot run, as far as known
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
        repeated_by_(program_.values.size(), -1),
        readers_(program_.values.size()),
        all_readers_(program_.values.size()),
        is_kept_(program_.values.size(), false),
        is_input_(program_.values.size(), false),
        is_spread_(steps_.size(), false),
        crosses_(steps_.size(), false) {}

  void run() {
    find_ends();
    find_crossings();
    for (size_t i = 0; i < steps_.size(); ++i) {
      check_interrupt();
      add(static_cast<int>(i));
      if (steps_[i].kind == StepKind::kFusion && !is_spread_[i]) join(static_cast<int>(i));
    }
    emit();
  }

 private:
  void find_ends() {
    for (const spmd::Instruction& instruction : program_.instructions)
      if (instruction.kind == spmd::InstructionKind::kInput)
        (instruction.dies ? is_input_ : is_kept_)[instruction.results[0]] = true;
    for (const std::vector<int>& outputs : program_.outputs)
      for (int v : outputs) is_kept_[schedule_.alias_of[v]] = true;
    int others = 0;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (repeats_number(static_cast<int>(i)) || widens(static_cast<int>(i))) {
        repeated_by_[steps_[i].writes[0]] = static_cast<int>(i);
        is_spread_[i] = !is_kept_[steps_[i].writes[0]];
      }
      Cluster& cluster = clusters_[i];
      for (int v : steps_[i].reads) {
        const int by = repeated_by_[v];
        if (by >= 0 && steps_[i].kind == StepKind::kFusion && same_space(by, static_cast<int>(i))) {
          cluster.repeats.push_back(v);
          cluster.reads.push_back(steps_[by].reads[0]);
        } else {
          cluster.reads.push_back(v);
          if (const int of_alias = repeated_by_[schedule_.alias_of[v]]; of_alias >= 0) is_spread_[of_alias] = false;
        }
      }
      add_all(cluster.reads, {});
      add_all(cluster.repeats, {});
      others_before_.push_back(others += steps_[i].kind != StepKind::kFusion);
    }
    for (size_t i = 0; i < steps_.size(); ++i)
      for (int v : clusters_[i].reads) {
        const bool repeats_it = std::find(steps_[i].reads.begin(), steps_[i].reads.end(), v) == steps_[i].reads.end();
        if (!(repeats_it && program_.values[v].dims.empty()) && !(is_spread_[i] && widens(static_cast<int>(i))))
          all_readers_[schedule_.alias_of[v]].push_back(static_cast<int>(i));
      }
  }

  bool is_reduction(int step) const {
    return steps_[step].kind == StepKind::kFusion &&
           program_.instructions[steps_[step].instructions[0]].node->op->reduction;
  }

  /// Finds steps whose values cross a reduction. A later fusion over the same blocks then reads the value, or one
  /// computed from it, and also needs the reduction. For instance, a norm of all gradients decides whether new
  /// parameters are used.
  void find_crossings() {
    std::vector<int> makers(program_.values.size(), -1), depth(steps_.size(), 0);  // reductions on the longest path
    for (int i = 0; i < static_cast<int>(steps_.size()); ++i) {
      for (int v : steps_[i].reads)
        if (const int m = makers[schedule_.alias_of[v]]; m >= 0)
          depth[i] = std::max(depth[i], depth[m] + is_reduction(m));
      for (int v : steps_[i].writes) makers[v] = i;
    }
    for (int i = static_cast<int>(steps_.size()) - 1; i >= 0; --i) {
      if (steps_[i].kind != StepKind::kFusion || is_reduction(i)) continue;
      for (int v : steps_[i].writes)
        for (int reader : all_readers_[v])
          if (steps_[reader].kind == StepKind::kFusion && !is_reduction(reader) && same_space(i, reader))
            crosses_[i] = crosses_[i] || depth[reader] > depth[i] || crosses_[reader];
    }
  }

  /// True if joining `step` to `loop` would force values computed from `step` to wait in memory for a reduction of
  /// `loop`. This does no harm if the step frees more bytes than it makes.
  bool crosses_reduction(int step, int loop) const {
    const std::vector<int>& members = clusters_[loop].members;
    const int own = order_.of(step);
    return crosses_[step] &&
           std::any_of(members.begin(), members.end(), [&](int member) { return is_reduction(member); }) &&
           made(own) >= ended(own, clusters_[loop].begins, loop);
  }

  /// True if the step repeats a number along dims. This costs nothing in a fusion, so each fusion does it for itself.
  /// Fusions that share only the number, such as micro-batches, then need not run together.
  bool repeats_number(int step) const {
    const spmd::Instruction& instruction = program_.instructions[steps_[step].instructions[0]];
    return steps_[step].kind == StepKind::kFusion && repeats(instruction) &&
           program_.values[instruction.operands[0]].dims.empty();
  }

  /// True if the step casts a value in memory to a larger type. Each fusion does it for itself, so that the value is
  /// kept and read as it was.
  bool widens(int step) const {
    const spmd::Instruction& instruction = program_.instructions[steps_[step].instructions[0]];
    if (steps_[step].kind != StepKind::kFusion || instruction.node->op->lane != kernels::LaneOp::kCast) return false;
    const int operand = instruction.operands[0];
    const spmd::LocalValue& from = program_.values[operand];
    const spmd::LocalValue& to = program_.values[instruction.results[0]];
    return size_of(from.element) < size_of(to.element) && !to.dims.empty() && from.order == to.order &&
           repeated_by_[schedule_.alias_of[operand]] < 0;
  }

  /// Returns the cluster that makes a value, or -1.
  int maker(int value) const {
    int step = maker_[schedule_.alias_of[value]];
    return step < 0 ? -1 : order_.of(step);
  }

  void add(int i) {
    std::vector<int> needs;
    for (int v : clusters_[i].reads)
      if (int from = maker(v); from >= 0) needs.push_back(from);
    order_.add(i, needs);
    clusters_[i].members = {i};
    clusters_[i].begins = i;
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

  /// True if all values that `reader` reads from the fusion `from` exist inside it. Results of reductions, and views
  /// with other dims, do not.
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

  /// Returns the number of arrays that the two clusters together read from outside.
  size_t arrays(const Cluster& a, const Cluster& b) const {
    std::vector<int> reads = a.reads;
    add_all(reads, b.reads);
    return static_cast<size_t>(std::count_if(reads.begin(), reads.end(), [&](int v) {
      const int from = program_.values[v].dims.empty() ? a.members[0] : maker(v);
      return from != a.members[0] && from != b.members[0];
    }));
  }

  /// True if the join recomputes nothing before the backward pass that needs it. A fusion runs at the position of its
  /// first member.
  bool keeps_replicas_late(const Cluster& a, const Cluster& b) const {
    const Cluster& later = a.members[0] < b.members[0] ? b : a;
    return later.replica == 0 || a.replica == b.replica;
  }

  int64_t bytes(int v) const { return largest_block(program_.values[v]) * size_of(program_.values[v].element); }

  /// True if, from step `from` on, only these two fusions read a value.
  bool ends_in(int value, int from, int a, int b) const {
    const std::vector<int>& readers = all_readers_[value];
    for (size_t i = readers.size(); i-- > 0 && readers[i] >= from;)
      if (const int reader = order_.of(readers[i]); reader != a && reader != b) return false;
    return true;
  }

  /// Returns the bytes that end with a fusion: values that, from step `from` on, only it and `other` read. Inputs have
  /// memory for the whole run, so they count only `with_inputs`, where a result of the same size may reuse it.
  int64_t ended(int loop, int from, int other, bool with_inputs = true) const {
    int64_t sum = 0;
    for (int v : clusters_[loop].reads)
      if (const int root = schedule_.alias_of[v];
          maker(v) != loop && !is_kept_[root] && (with_inputs || !is_input_[root]))
        sum += ends_in(root, from, loop, other) ? bytes(v) : 0;
    return sum;
  }

  /// Returns the bytes of the values that a fusion makes for other steps.
  int64_t made(int loop) const {
    int64_t sum = 0;
    for (int step : clusters_[loop].members)
      for (int v : steps_[step].writes) sum += is_kept_[v] || !ends_in(v, loop, loop, loop) ? bytes(v) : 0;
    return sum;
  }

  /// Returns the bytes of the values that the later of two fusions reads and the other one reads or makes.
  int64_t shared(int early, int late) const {
    int64_t sum = 0;
    for (int v : clusters_[late].reads)
      if (maker(v) == early || std::binary_search(clusters_[early].reads.begin(), clusters_[early].reads.end(), v))
        sum += bytes(v);
    return sum;
  }

  /// True if the fusion `early` can wait until `until`: no step that runs before reads its values.
  bool can_wait(int early, int until) const {
    for (int step : clusters_[early].members)
      for (int v : steps_[step].writes)
        for (int reader : all_readers_[v]) {
          if (reader >= until) break;
          if (const int by = order_.of(reader); by != early && clusters_[by].begins < until) return false;
        }
    return true;
  }

  /// True if steps other than fusions are between two positions.
  bool are_apart(int from, int to) const { return others_before_[from] != others_before_[to]; }

  /// Returns the step before which two joined fusions cannot run, because their operands are computed there.
  int can_begin(int early, int late) const {
    int begin = clusters_[early].begins;
    for (int v : clusters_[late].reads)
      if (const int from = maker(v); from >= 0 && from != early && from != late)
        begin = std::max(begin, clusters_[from].begins);
    return begin;
  }

  /// True if a join across other steps keeps few bytes. The joined fusion runs as early as the operands of both allow.
  /// So the earlier fusion waits, the later one moves forward, or both. Each move must keep fewer bytes than it frees
  /// or saves from being read again.
  bool keeps_little(int a, int b) const {
    const int early = std::min(a, b), late = std::max(a, b);
    const int from = clusters_[early].begins, to = clusters_[late].begins;
    if (!are_apart(from, to)) return true;
    const int at = std::min(to, can_begin(early, late));
    if (are_apart(from, at) && !(can_wait(early, at) && ended(early, early, early, false) < made(early))) return false;
    return !are_apart(at, to) || made(late) < ended(late, early, early) + shared(early, late);
  }

  bool can_join(int a, int b) const {
    const Cluster &x = clusters_[a], &y = clusters_[b];
    return fits(x, y) && keeps_replicas_late(x, y) && same_space(x.members[0], y.members[0]) && readable(y, a) &&
           readable(x, b) && keeps_little(a, b);
  }

  /// Joins the fusion of `step` with the producers of its operands and with readers of the same values, the latest
  /// first.
  void join(int step) {
    std::vector<int> candidates;
    auto consider = [&](int cluster) {
      if (steps_[cluster].kind == StepKind::kFusion && fits(clusters_[cluster], clusters_[step]))
        candidates.push_back(cluster);
    };
    const size_t dims = shape(step).dims.size();
    const std::vector<int> reads = clusters_[step].reads;
    for (int v : reads) {
      if (int from = maker(v); from >= 0) consider(from);
      if (program_.values[v].dims.size() != dims) continue;
      for (int& reader : readers_[v]) consider(reader = order_.of(reader));
    }
    std::sort(candidates.begin(), candidates.end(), std::greater<>());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (int candidate : candidates) {
      int own = order_.of(step);
      if (candidate == own || order_.of(candidate) != candidate) continue;
      if (!crosses_reduction(step, candidate) && can_join(candidate, own) && order_.merge(candidate, own))
        merge(candidate, own);
    }
    for (int v : reads)
      if (program_.values[v].dims.size() == dims) add_reader(readers_[v], order_.of(step));
  }

  /// Adds a fusion to the latest readers of a value that may still grow.
  void add_reader(std::vector<int>& readers, int cluster) {
    std::erase_if(readers,
                  [&](int r) { return order_.of(r) == cluster || clusters_[r].members.size() >= kMostInstructions; });
    if (readers.size() >= kMostReaders) readers.erase(readers.begin());
    readers.push_back(cluster);
  }

  void merge(int a, int b) {
    Cluster& kept = clusters_[std::min(a, b)];
    Cluster& gone = clusters_[std::max(a, b)];
    kept.begins = std::min(gone.begins, can_begin(std::min(a, b), std::max(a, b)));
    add_all(kept.members, gone.members);
    add_all(kept.reads, gone.reads);
    add_all(kept.repeats, gone.repeats);
    if (kept.replica == 0) kept.replica = gone.replica;
    gone = {};
  }

  void emit() {
    std::vector<Step> result;
    const std::vector<int> order = order_.in_order();
    result.reserve(order.size());
    Repeated repeated = find_repeated();
    for (int c : order) {
      if (is_spread_[c]) continue;
      const Cluster& cluster = clusters_[c];
      Step step;
      if (cluster.members.size() > 1 || !cluster.repeats.empty()) step = loop_of(cluster, repeated);
      else step = std::move(steps_[c]);
      result.push_back(std::move(step));
    }
    steps_ = std::move(result);
  }

  /// The values that fusions compute for themselves.
  struct Repeated {
    std::vector<int> instruction;  ///< index in the program, or -1 for other values
    std::vector<bool> is_taken;    ///< the instruction is already part of a step
  };
  Repeated find_repeated() const {
    Repeated repeated = {std::vector<int>(program_.values.size(), -1), std::vector<bool>(program_.values.size())};
    for (size_t v = 0; v < repeated_by_.size(); ++v)
      if (const int i = repeated_by_[v]; i >= 0) {
        repeated.instruction[v] = steps_[i].instructions[0];
        repeated.is_taken[v] = !is_spread_[i];
      }
    return repeated;
  }

  /// Returns the step of a cluster. The fusion makes each repeated value before the first operation that reads it. It
  /// uses the program's instruction if no other fusion has it, and otherwise a copy.
  Step loop_of(const Cluster& cluster, Repeated& repeated) {
    Step loop;
    loop.kind = StepKind::kFusion;
    loop.reads = cluster.reads;
    std::vector<int> own(cluster.repeats.size(), -1);  // the fusion's own value for each repeated value
    const auto append = [&](int instruction) {
      loop.instructions.push_back(instruction);
      loop.writes.push_back(program_.instructions[instruction].results[0]);
    };
    for (int member : cluster.members) {
      const int instruction = steps_[member].instructions[0];
      for (size_t k = 0; k < program_.instructions[instruction].operands.size(); ++k) {
        const int v = program_.instructions[instruction].operands[k];
        const auto at = std::lower_bound(cluster.repeats.begin(), cluster.repeats.end(), v);
        if (at == cluster.repeats.end() || *at != v) continue;
        int& name = own[at - cluster.repeats.begin()];
        if (name < 0) {
          append(repeated.is_taken[v] ? copied(repeated.instruction[v]) : repeated.instruction[v]);
          repeated.is_taken[v] = true;
          name = loop.writes.back();
        }
        program_.instructions[instruction].operands[k] = name;
      }
      append(instruction);
    }
    add_all(loop.reads, own);
    return loop;
  }

  /// Adds an instruction that repeats the computation into a new value.
  int copied(int instruction) {
    spmd::Instruction copy = program_.instructions[instruction];
    const int value = static_cast<int>(program_.values.size());
    program_.values.push_back(spmd::LocalValue(program_.values[copy.results[0]]));
    schedule_.alias_of.push_back(value);
    copy.results = {value};
    program_.instructions.push_back(std::move(copy));
    return static_cast<int>(program_.instructions.size()) - 1;
  }

  Schedule& schedule_;
  spmd::LocalProgram& program_;
  std::vector<Step>& steps_;
  std::vector<Cluster> clusters_;              // by the first of their steps; merged clusters are empty
  Contraction order_;                          // of steps
  std::vector<int> maker_;                     // for each value, its producer
  std::vector<int> repeated_by_;               // for each value that fusions compute for themselves, its step, else -1
  std::vector<std::vector<int>> readers_;      // for each value, fusions that read it
  std::vector<std::vector<int>> all_readers_;  // for each value with its own memory, the steps that read it
  std::vector<bool> is_kept_;                  // for each value: it exists after the run
  std::vector<bool> is_input_;                 // for each value: it is an input that dies in the run
  std::vector<bool> is_spread_;                // for each step: every fusion that reads its value recomputes it
  std::vector<bool> crosses_;                  // for each step: result of find_crossings()
  std::vector<int> others_before_;             // for each step: the number of steps up to it that are no fusions
};

}  // namespace

void fuse_loops(Schedule& schedule) { Fuser(schedule).run(); }

}  // namespace mtf::schedule
