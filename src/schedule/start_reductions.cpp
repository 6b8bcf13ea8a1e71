#include "schedule/passes.h"
#include "spmd/collectives.h"

namespace mtf {
namespace {

class Mover {
 public:
  explicit Mover(Schedule& schedule)
      : schedule_(schedule), steps_(schedule.steps), maker_(schedule.program.values.size(), kNobody), reader_(schedule.program.values.size(), kNobody), moves_(schedule.steps.size(), false) {
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
    for (size_t s = steps_.size(); s-- > 0;) moves_[s] = (is_reduction(steps_[s]) || is_for_reduction(steps_[s])) && takes_all_it_reads(steps_[s]);
    std::vector<std::vector<size_t>> behind(steps_.size());  // for each step: those that move to where it ends
    for (size_t s = 0; s < steps_.size(); ++s)
      if (moves_[s]) behind[last_maker(steps_[s])].push_back(s);
    std::vector<Step> ordered;
    ordered.reserve(steps_.size());
    std::vector<size_t> next;  // the first at the end
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (!moves_[s]) next.push_back(s);
      while (!next.empty()) {
        const size_t now = next.back();
        next.pop_back();
        ordered.push_back(std::move(steps_[now]));
        next.insert(next.end(), behind[now].rbegin(), behind[now].rend());
      }
    }
    steps_ = std::move(ordered);
  }

 private:
  static constexpr int kNobody = -1, kSeveral = -2;

  bool is_reduction(const Step& step) const {
    if (step.kind != StepKind::kCollective) return false;
    const Movement movement = record_of(schedule_.program.instructions[step.instructions[0]].kind).movement;
    return movement == Movement::kReduce || movement == Movement::kReduceScatter;
  }

  int64_t bytes(int v) const { return largest_block(schedule_.program.values[v]) * size_of(schedule_.program.values[v].element); }

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
    for (int v : step.reads)
      if (maker_[schedule_.alias_of[v]] >= 0 && reader_[schedule_.alias_of[v]] == kSeveral) return false;
    return last_maker(step) >= 0;
  }

  int last_maker(const Step& step) const {
    int last = -1;
    for (int v : step.reads) last = std::max(last, maker_[schedule_.alias_of[v]]);
    return last;
  }

  Schedule& schedule_;
  std::vector<Step>& steps_;
  std::vector<int> maker_;   // for each value: the step that makes it
  std::vector<int> reader_;  // for each value: the one step that reads the memory that it lies in
  std::vector<bool> moves_;  // for each step
};

}  // namespace

void start_reductions(Schedule& schedule) { Mover(schedule).run(); }

}  // namespace mtf
