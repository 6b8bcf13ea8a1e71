#include "run/pipeline_turns.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// A turn that any stage takes: a chunk, in the order of micro-batches, and a micro-batch.
struct Work {
  int64_t chunk, micro_batch;
};

/// Returns the forward turns of a stage in their order, or its backward turns.
std::vector<Work> order_of(int64_t stages, int64_t chunks, int64_t micro_batches, bool is_backward) {
  std::vector<Work> all;
  const int64_t groups = chunks == 1 ? micro_batches : micro_batches / std::min(stages, micro_batches);
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      for (int64_t m = micro_batches * group / groups; m < micro_batches * (group + 1) / groups; ++m)
        all.push_back({is_backward ? chunks - 1 - chunk : chunk, m});
  return all;
}

class Alternation {
 public:
  Alternation(int64_t stages, int64_t chunks, int64_t micro_batches, const std::function<int64_t(int64_t)>& most)
      : stages_(stages),
        places_(stages * chunks),
        forward_(order_of(stages, chunks, micro_batches, false)),
        backward_(order_of(stages, chunks, micro_batches, true)),
        of_stages_(static_cast<size_t>(stages)) {
    for (int64_t s = 0; s < stages; ++s)
      for (int64_t arena = 0; arena < most(s); ++arena) of_stages_[static_cast<size_t>(s)].free.insert(arena);
  }

  /// All stages take a turn at a time, if the turns that theirs depends on are over.
  std::vector<PipelineTurn> run() {
    while (turns_.size() < 2 * forward_.size() * of_stages_.size()) {
      const size_t before = turns_.size();
      for (int64_t s = 0; s < stages_; ++s) take_turn(s);
      MTF_CHECK(turns_.size() > before, "the stages of a pipeline wait for each other");
      for (size_t i = before; i < turns_.size(); ++i)
        over_.insert({turns_[i].place, turns_[i].micro_batch, turns_[i].is_backward});
    }
    return std::move(turns_);
  }

 private:
  struct Stage {
    size_t gone = 0, back = 0;  ///< numbers of turns
    std::set<int64_t> free;     ///< arenas
    std::map<std::pair<int64_t, int64_t>, int64_t> arena_of;
  };

  void take_turn(int64_t s) {
    Stage& stage = of_stages_[static_cast<size_t>(s)];
    if (stage.back == backward_.size()) return;
    const bool is_backward = stage.free.empty() || stage.gone == forward_.size();
    const Work work = is_backward ? backward_[stage.back] : forward_[stage.gone];
    const int64_t place = work.chunk * stages_ + s, last = is_backward ? places_ - 1 : 0;
    const bool is_first = place == last;  // of those through which the micro-batch passes
    const auto is_over = [&](int64_t at, bool backward) { return over_.contains({at, work.micro_batch, backward}); };
    if (is_backward && !is_over(place, false)) return;
    if (!is_first && !is_over(is_backward ? place + 1 : place - 1, is_backward)) return;
    PipelineTurn turn{s, place, work.micro_batch, is_backward, 0};
    const std::pair key{place, work.micro_batch};
    if (is_backward) {
      turn.arena = stage.arena_of.at(key);
      stage.free.insert(turn.arena);
      ++stage.back;
    } else {
      turn.arena = stage.arena_of[key] = *stage.free.begin();
      stage.free.erase(stage.free.begin());
      ++stage.gone;
    }
    turns_.push_back(turn);
  }

  const int64_t stages_, places_;
  const std::vector<Work> forward_, backward_;  // the same for all stages
  std::vector<Stage> of_stages_;
  std::set<std::tuple<int64_t, int64_t, bool>> over_;  // turns: place, micro-batch and direction
  std::vector<PipelineTurn> turns_;
};

}  // namespace

std::vector<PipelineTurn> alternating_turns(int64_t stages, int64_t chunks, int64_t micro_batches,
                                            const std::function<int64_t(int64_t)>& most_under_way) {
  return Alternation(stages, chunks, micro_batches, most_under_way).run();
}

}  // namespace mtf::run
