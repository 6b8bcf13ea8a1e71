#include <algorithm>

#include "schedule/passes.h"
#include "spmd/collectives.h"

namespace mtf::schedule {
namespace {

/// When a collective may start.
enum class Start : uint8_t {
  kInOrder,
  kWhenReady,      ///< when its operand is ready, if nothing else reads the operand
  kWithIteration,  ///< in an iteration: first, if its result is only for the next iteration
};

Start start_of(const Schedule& schedule, const Step& step) {
  if (step.kind != StepKind::kCollective) return Start::kInOrder;
  switch (record_of(schedule.program.instructions[step.instructions[0]].kind).movement) {
    case spmd::Movement::kReduce:
    case spmd::Movement::kReduceScatter:
    case spmd::Movement::kToOwner: return Start::kWhenReady;
    case spmd::Movement::kFromGroup:
    case spmd::Movement::kFromPermuted: return Start::kWithIteration;
    case spmd::Movement::kAddFromGroup:
    case spmd::Movement::kFromStage:
    case spmd::Movement::kFromOwner: break;
  }
  return Start::kInOrder;
}

class Mover {
 public:
  explicit Mover(Schedule& schedule)
      : schedule_(schedule),
        steps_(schedule.steps),
        maker_(schedule.program.values.size(), kNobody),
        reader_(schedule.program.values.size(), kNobody),
        moves_(schedule.steps.size(), false) {
    for (size_t s = 0; s < steps_.size(); ++s) {
      for (int v : steps_[s].writes) maker_[v] = static_cast<int>(s);
      for (int v : steps_[s].reads) {
        int& reader = reader_[schedule.alias_of[v]];
        reader = reader == kNobody ? static_cast<int>(s) : kSeveral;
      }
    }
    for (const std::vector<int>& output : schedule.program.outputs)
      for (int v : output) reader_[schedule.alias_of[v]] = kSeveral;
  }

  void run() {
    for (size_t s = steps_.size(); s-- > 0;)
      moves_[s] = (start_of(schedule_, steps_[s]) == Start::kWhenReady || is_for_reduction(steps_[s])) &&
                  takes_all_it_reads(steps_[s]);
    // A moved step follows a step that stays: the last of those after which its operands exist. Several steps behind
    // one keep their order.
    std::vector<size_t> anchor(steps_.size());
    std::vector<std::vector<size_t>> behind(steps_.size());
    for (size_t s = 0; s < steps_.size(); ++s) {
      anchor[s] = s;
      if (!moves_[s]) continue;
      anchor[s] = 0;
      for (int v : steps_[s].reads)
        if (const int made = maker_[schedule_.alias_of[v]]; made >= 0) anchor[s] = std::max(anchor[s], anchor[made]);
      behind[anchor[s]].push_back(s);
    }
    std::vector<Step> ordered;
    ordered.reserve(steps_.size());
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (moves_[s]) continue;
      ordered.push_back(std::move(steps_[s]));
      for (size_t moved : behind[s]) ordered.push_back(std::move(steps_[moved]));
    }
    steps_ = std::move(ordered);
  }

 private:
  static constexpr int kNobody = -1, kSeveral = -2;

  int64_t bytes(int v) const {
    return largest_block(schedule_.program.values[v]) * size_of(schedule_.program.values[v].element);
  }

  /// True if only reductions that are being moved consume the results of `step`, and the results are no larger than
  /// its operands (a scaling, for instance).
  bool is_for_reduction(const Step& step) const {
    if (step.kind != StepKind::kFusion) return false;
    int64_t more = 0;
    for (int v : step.writes) {
      if (const int reader = reader_[schedule_.alias_of[v]]; reader < 0 || !moves_[reader]) return false;
      more += bytes(v);
    }
    for (int v : step.reads)
      if (maker_[schedule_.alias_of[v]] >= 0) more -= bytes(v);
    return more <= 0;
  }

  /// True if the step reads results of other steps, and is their only reader.
  bool takes_all_it_reads(const Step& step) const {
    bool any = false;
    for (int v : step.reads) {
      if (maker_[schedule_.alias_of[v]] < 0) continue;
      if (reader_[schedule_.alias_of[v]] == kSeveral) return false;
      any = true;
    }
    return any;
  }

  Schedule& schedule_;
  std::vector<Step>& steps_;
  std::vector<int> maker_;   // for each value: its producer
  std::vector<int> reader_;  // for each value: the only step that reads its memory
  std::vector<bool> moves_;  // for each step
};

/// Moves collectives of an iteration to its start if they only read inputs of the iteration and their results are only
/// for the next iteration. Steps that pass these results on move to the end.
void send_ahead(Schedule& iteration) {
  std::vector<bool> is_made(iteration.program.values.size()), is_output(iteration.program.values.size());
  std::vector<std::vector<size_t>> readers(iteration.program.values.size());
  for (const std::vector<int>& output : iteration.program.outputs)
    for (int v : output) is_output[iteration.alias_of[v]] = true;
  for (size_t s = 0; s < iteration.steps.size(); ++s) {
    for (int v : iteration.steps[s].writes) is_made[v] = true;
    for (int v : iteration.steps[s].reads) readers[iteration.alias_of[v]].push_back(s);
  }
  const auto all_written = [&](size_t step, const auto& holds) {
    const std::vector<int>& writes = iteration.steps[step].writes;
    return std::all_of(writes.begin(), writes.end(), [&](int v) { return holds(iteration.alias_of[v]); });
  };
  const auto hands_on = [&](size_t step) {
    return all_written(step, [&](int v) { return is_output[v] && readers[v].empty(); });
  };
  enum class Comes : uint8_t { kFirst, kBetween, kLast };
  std::vector<Comes> comes(iteration.steps.size(), Comes::kBetween);
  for (size_t s = 0; s < iteration.steps.size(); ++s) {
    const Step& step = iteration.steps[s];
    if (start_of(iteration, step) != Start::kWithIteration) continue;
    if (std::any_of(step.reads.begin(), step.reads.end(), [&](int v) { return is_made[iteration.alias_of[v]]; }))
      continue;
    if (!all_written(s, [&](int v) {
          return (is_output[v] || !readers[v].empty()) && std::all_of(readers[v].begin(), readers[v].end(), hands_on);
        }))
      continue;
    comes[s] = Comes::kFirst;
    for (int v : step.writes)
      for (size_t reader : readers[iteration.alias_of[v]]) comes[reader] = Comes::kLast;
  }
  std::vector<Step> ordered;
  for (const Comes now : {Comes::kFirst, Comes::kBetween, Comes::kLast})
    for (size_t s = 0; s < comes.size(); ++s)
      if (comes[s] == now) ordered.push_back(std::move(iteration.steps[s]));
  iteration.steps = std::move(ordered);
}

}  // namespace

void start_collectives(Schedule& schedule) {
  Mover(schedule).run();
  for (Step& step : schedule.steps)
    if (step.iteration) send_ahead(*step.iteration);
}

}  // namespace mtf::schedule
