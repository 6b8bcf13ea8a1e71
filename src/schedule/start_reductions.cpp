#include "schedule/passes.h"
#include "spmd/collectives.h"

namespace mtf::schedule {
namespace {

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
      moves_[s] = (is_reduction(steps_[s]) || is_for_reduction(steps_[s])) && takes_all_it_reads(steps_[s]);
    // What moves comes behind a step that stays: the last of those behind which what it reads has been made. Behind one
    // step, all stand as they did.
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

  bool is_reduction(const Step& step) const {
    if (step.kind != StepKind::kCollective) return false;
    const spmd::Movement movement = record_of(schedule_.program.instructions[step.instructions[0]].kind).movement;
    return movement == spmd::Movement::kReduce || movement == spmd::Movement::kReduceScatter ||
           movement == spmd::Movement::kToOwner;
  }

  int64_t bytes(int v) const {
    return largest_block(schedule_.program.values[v]) * size_of(schedule_.program.values[v].element);
  }

  /// It makes what only reductions that move read, and no more than what it reads: scales it, for instance.
  bool is_for_reduction(const Step& step) const {
    if (step.kind != StepKind::kLoop) return false;
    int64_t more = 0;
    for (int v : step.writes) {
      if (const int reader = reader_[schedule_.alias_of[v]]; reader < 0 || !moves_[reader]) return false;
      more += bytes(v);
    }
    for (int v : step.reads)
      if (maker_[schedule_.alias_of[v]] >= 0) more -= bytes(v);
    return more <= 0;
  }

  /// Of what steps have made, it reads something, and nothing that others read too.
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
  std::vector<int> maker_;   // for each value: the step that makes it
  std::vector<int> reader_;  // for each value: the one step that reads the memory that it lies in
  std::vector<bool> moves_;  // for each step
};

}  // namespace

void start_reductions(Schedule& schedule) { Mover(schedule).run(); }

}  // namespace mtf::schedule
