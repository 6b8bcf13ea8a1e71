#include "run/pipeline_executor.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "run/step_executor.h"
#include "schedule/orders.h"
#include "spmd/pipeline.h"

namespace mtf::run {
namespace {

/// Returns how many collective numbers a run uses at most, the same on all ranks.
int64_t collectives_of(const schedule::Schedule& schedule) {
  int64_t count = 0;
  for (const schedule::Step& step : schedule.steps) {
    const bool is_collective = step.kind == schedule::StepKind::kCollective || step.kind == schedule::StepKind::kSlice;
    if (step.iteration) {
      const graph::LaidOutOperation& loop = *schedule.program.instructions[step.instructions[0]].node;
      count += most_iterations(loop) * (collectives_of(*step.iteration) + (loop.region->hands_on ? 1 : 0));
    } else if (is_collective) {
      ++count;
    }
  }
  return count;
}

bool has(const std::vector<const spmd::Instruction*>& all, const spmd::Instruction& one) {
  return std::find(all.begin(), all.end(), &one) != all.end();
}

// ---- stages ---------------------------------------------------------------------------------------------------------

/// The stages of a pipeline on all ranks. Stages with iterations come first, in the order in which micro-batches pass
/// through them.
class Stages {
 public:
  Stages(const Frame& around, const spmd::Instruction& loop, const schedule::Schedule& iteration)
      : around_(around),
        loop_(loop),
        iteration_(iteration),
        mesh_(*loop.node->mesh),
        axes_(loop.node->region->stages.set()) {
    const auto inner = std::find_if(
        iteration.program.instructions.begin(), iteration.program.instructions.end(),
        [](const spmd::Instruction& each) { return each.iteration && !each.node->region->stages.empty(); });
    inner_ = inner->node->region.get();
    for (const int64_t processor : mesh_.group(0, axes_))
      all_.push_back(
          {block_of(inner_->iterations, loop.node->region->stages, mesh_, mesh_.coordinates(processor)), processor});
    const bool reverse = loop.node->attributes.get<ops::ScanAttributes>().reverse;
    std::stable_sort(all_.begin(), all_.end(), [&](const At& a, const At& b) {
      if (a.iterations.size() == 0 || b.iterations.size() == 0) return a.iterations.size() > b.iterations.size();
      return reverse ? a.iterations.first > b.iterations.first : a.iterations.first < b.iterations.first;
    });
    turned_ = spmd::turned_back(iteration.program);
    by_ = spmd::run_by(iteration.program);
    busy_ = static_cast<size_t>(
        std::count_if(all_.begin(), all_.end(), [](const At& each) { return each.iterations.size() > 0; }));
  }

  int64_t busy() const { return static_cast<int64_t>(busy_); }

  /// Returns the stages that this rank hosts, with one micro-batch.
  std::vector<std::unique_ptr<PipelineStage>> hosted(int64_t micro_batch) const {
    std::vector<std::unique_ptr<PipelineStage>> stages;
    for (size_t s = 0; s < all_.size(); ++s) {
      auto own = std::make_unique<Hosting>(host(), iteration_.program.values[iteration_.program.outputs[0][0]].mesh,
                                           micro_batch, [this, s](int64_t processor) { return is_in(processor, s); });
      if (!own->processors().empty()) stages.push_back(stage(s, micro_batch, std::move(own)));
    }
    return stages;
  }

 private:
  struct At {
    Interval iterations;
    int64_t processor;  ///< the first of the stage
  };

  const Hosting& host() const { return around_.hostings().of(loop_.node->mesh); }
  bool is_in(int64_t processor, size_t s) const {
    return mesh_.index_in_group(processor, axes_) == mesh_.index_in_group(all_[s].processor, axes_);
  }
  /// Returns the processor of stage `to` that corresponds to a processor of stage `from`.
  int64_t moved(int64_t processor, size_t from, size_t to) const {
    return processor - all_[from].processor + all_[to].processor;
  }

  std::unique_ptr<PipelineStage> stage(size_t s, int64_t micro_batch, std::unique_ptr<Hosting> own) const {
    auto stage = std::make_unique<PipelineStage>(around_.hostings(), std::move(own));
    stage->micro_batch = micro_batch;
    stage->carried = inner_->carried;
    stage->place = static_cast<int64_t>(s);
    stage->turned = turned_;
    if (!turned_.empty())
      for (size_t i = 0; i < by_.size(); ++i)
        if ((by_[i] == spmd::RunBy::kFirst && s > 0) || (by_[i] == spmd::RunBy::kLast && s + 1 < busy_))
          stage->left_out.insert(&iteration_.program.instructions[i]);
    stage->has_iterations = all_[s].iterations.size() > 0;
    for (size_t i = 0; i < host().processors().size(); ++i) {
      const int64_t processor = host().processors()[i];
      stage->on_last.push_back(is_in(processor, busy_ - 1));
      stage->on_first.push_back(is_in(processor, 0));
      if (!is_in(processor, s)) continue;
      stage->hosted.push_back(static_cast<int>(i));
      if (s > 0) stage->before.push_back(moved(processor, s, s - 1));
      if (s + 1 < busy_) stage->after.push_back(moved(processor, s, s + 1));
    }
    if (s + 1 < busy_) add_sends(*stage, s, s + 1);
    if (s > 0 && s < busy_ && !turned_.empty()) add_sends(*stage, s, s - 1);
    return stage;
  }

  /// Adds the messages from stage `s` to the stage `next`.
  void add_sends(PipelineStage& stage, size_t s, size_t next) const {
    for (const spmd::Instruction& each : iteration_.program.instructions) {
      if (each.kind != spmd::InstructionKind::kTakeOver || has(turned_, each) != (next < s)) continue;
      const int output = schedule::output_taken_over(iteration_.program, each);
      const spmd::LocalValue& value = around_.value(loop_.results[output]);
      for (int rank = 0; rank < host().ranks(); ++rank) {
        if (rank == host().rank()) continue;
        for (const int first : host().slots(rank, value.varies()).first) {
          const int64_t to = host().processors(rank)[first];
          if (!is_in(to, next)) continue;
          const int64_t from = moved(to, next, s);
          if (host().rank_of(from) != host().rank()) continue;
          const int hosted = host().index_of(from);
          const int64_t bytes = block_at(value, host().coordinates()[hosted]).elements * size_of(value.element);
          const int64_t places = places_of(value, *loop_.node->region);
          stage.sends.push_back(
              {&each, output, rank, host().slots(value.varies()).of[hosted], places, bytes / places, next < s});
        }
      }
    }
  }

  const Frame& around_;
  const spmd::Instruction& loop_;
  const schedule::Schedule& iteration_;
  const Mesh& mesh_;
  const AxisSet axes_;
  const graph::Region* inner_ = nullptr;  // of the loop over the layers
  std::vector<At> all_;
  std::vector<const spmd::Instruction*> turned_;
  std::vector<spmd::RunBy> by_;  // for each instruction
  size_t busy_ = 0;              // the number of stages with iterations
};

// ---- the pipeline ---------------------------------------------------------------------------------------------------

class PipelineExecutor final : public BoundLoop {
 public:
  PipelineExecutor(const Frame& around, Machine& machine, const schedule::Step& step)
      : around_(around),
        machine_(machine),
        loop_(around.program().instructions[step.instructions[0]]),
        region_(*loop_.node->region),
        numbers_of_iteration_(collectives_of(*step.iteration) + 1),
        turn_(schedule::turning_point(*step.iteration)) {
    const Stages stages(around, loop_, *step.iteration);
    for (int64_t iteration = 0; iteration < region_.iterations; ++iteration)
      for (std::unique_ptr<PipelineStage>& stage : stages.hosted(iteration)) {
        const Enclosing enclosing{around, loop_, stage.get()};
        auto body = std::make_unique<StepExecutor>(step.iteration, machine, stage->hostings, false, &enclosing);
        auto scan = std::make_unique<ScanExecutor>(std::move(body), around, loop_, Interval{iteration, iteration + 1},
                                                   &stage->hosted);
        parts_.push_back({std::move(stage), std::move(scan)});
      }
    for (const Part& part : parts_) kept_bytes_ = std::max(kept_bytes_, part.scan->kept_bytes());
    if (!region_.joined.empty()) alternate(stages.busy());
  }

  int64_t arena_bytes() const override {
    int64_t bytes = 0;
    for (const Part& part : parts_) bytes = std::max(bytes, part.scan->arena_bytes());
    return bytes + arenas_ * kept_bytes_;
  }
  int64_t shared_bytes() const override {
    int64_t bytes = 0;
    for (const Part& part : parts_) bytes = std::max(bytes, part.scan->shared_bytes());
    return bytes;
  }

  std::vector<Body> bodies() const override {
    std::vector<Body> all;
    for (const Part& part : parts_) all.push_back({&part.scan->body(), region_.iterations});
    return all;
  }

  void run(const LoopRun& run) override {
    const int64_t begun = machine_.collectives_begun;
    zero_sums();
    if (turns_.empty())
      for (const Part& part : parts_) {
        if (!part.stage->has_iterations) continue;
        machine_.collectives_begun = begun + part.stage->micro_batch * numbers_of_iteration_;
        part.stage->number = machine_.collectives_begun++;
        part.scan->run(run);
        hand_on(part, false);
      }
    for (const Turn& turn : turns_) run_turn(turn, run, begun);
    machine_.collectives_begun = begun + region_.iterations * numbers_of_iteration_;
    for (auto& [from, messages] : machine_.handed_on) machine_.transport.wait(messages);
    machine_.handed_on.clear();
    for (int32_t c = 0; c < parts_[0].stage->carried; ++c)  // only the last stage has the final carry
      around_.zero(loop_.results[c], [&](int hosted) { return !parts_[0].stage->on_last[hosted]; });
    for (const spmd::Instruction* const taken : parts_[0].stage->turned)
      around_.zero(loop_.results[taken->input], [&](int hosted) { return !parts_[0].stage->on_first[hosted]; });
  }

 private:
  struct Part {
    std::unique_ptr<PipelineStage> stage;
    std::unique_ptr<ScanExecutor> scan;
    int64_t arena = 0;  ///< of joined loops: which of several arenas
  };
  /// A part of an iteration, in joined loops.
  struct Turn {
    size_t part;
    bool is_backward;
  };

  /// Decides the order of forward and backward turns, for this rank's stages. All stages take a turn at a time if what
  /// they need has been left. A stage begins as many micro-batches as there are stages from it to the last one.
  void alternate(int64_t stages) {
    std::vector<int64_t> forward(static_cast<size_t>(stages)), backward(static_cast<size_t>(stages));
    std::map<std::pair<int64_t, int64_t>, size_t> parts;  // by stage and micro-batch
    std::map<int64_t, int64_t> first_arena;
    for (size_t p = 0; p < parts_.size(); ++p) {
      const PipelineStage& stage = *parts_[p].stage;
      if (!stage.has_iterations) continue;
      parts[{stage.place, stage.micro_batch}] = p;
      first_arena.try_emplace(stage.place, 0);
    }
    const auto most = [&](int64_t s) { return std::min(stages - s, region_.iterations); };
    for (auto& [s, first] : first_arena) first = std::exchange(arenas_, arenas_ + most(s));
    for (auto& [key, p] : parts) parts_[p].arena = first_arena.at(key.first) + key.second % most(key.first);
    while (backward[0] < region_.iterations) {
      const std::vector<int64_t> gone = forward, back = backward;
      for (int64_t s = 0; s < stages; ++s) {
        const auto at = static_cast<size_t>(s);
        const bool may_begin = gone[at] < region_.iterations && (s == 0 || gone[at - 1] > gone[at]);
        const bool may_end = back[at] < gone[at] && (s + 1 == stages || back[at + 1] > back[at]);
        const bool is_full = gone[at] - back[at] >= most(s) || gone[at] == region_.iterations;
        if (is_full ? !may_end : !may_begin) continue;
        const int64_t micro_batch = is_full ? backward[at]++ : forward[at]++;
        if (const auto part = parts.find({s, micro_batch}); part != parts.end())
          turns_.push_back({part->second, is_full});
      }
    }
  }

  void run_turn(const Turn& turn, LoopRun run, int64_t begun) {
    const Part& part = parts_[turn.part];
    PipelineStage& stage = *part.stage;
    run.kept = run.arena + part.arena * kept_bytes_;
    run.arena += arenas_ * kept_bytes_;
    wait_for_place(part, turn.is_backward);
    if (turn.is_backward) {
      machine_.collectives_begun = stage.number_between;
      part.scan->run_steps(run, turn_, SIZE_MAX);
    } else {
      machine_.collectives_begun = begun + stage.micro_batch * numbers_of_iteration_;
      stage.number = machine_.collectives_begun++;
      part.scan->run_steps(run, 0, turn_);
      stage.number_between = machine_.collectives_begun;
    }
    hand_on(part, turn.is_backward);
  }

  /// Fills sums over micro-batches or stages with zeros.
  void zero_sums() const {
    for (size_t r = 0; r < loop_.results.size(); ++r) {
      const bool is_stacked =
          static_cast<int32_t>(r) >= region_.carried && static_cast<int32_t>(r) < region_.carried + region_.stacked;
      if (!is_stacked || (around_.value(loop_.results[r]).partial & region_.stages.set()))
        around_.zero(loop_.results[r], [](int) { return true; });
    }
  }

  /// Waits until the message has gone whose place a turn's carry takes. Its receiver has received it already.
  void wait_for_place(const Part& part, bool goes_back) {
    for (const PipelineStage::Send& send : part.stage->sends)
      if (send.goes_back == goes_back)
        machine_.transport.wait(machine_.handed_on[{part.stage->place, goes_back, part.stage->place_of(send)}]);
  }

  /// Sends the carry of a micro-batch to the next stage, if other ranks host that stage.
  void hand_on(const Part& part, bool goes_back) {
    const PipelineStage& stage = *part.stage;
    for (const PipelineStage::Send& send : stage.sends) {
      if (send.goes_back != goes_back) continue;
      const auto* all = static_cast<const std::byte*>(around_.pointers().at(loop_.results[send.output], send.slot));
      machine_.transport.send(machine_.handed_on[{stage.place, goes_back, stage.place_of(send)}], send.peer,
                              stage.tag(machine_.transport, send.output), all + stage.place_of(send) * send.bytes,
                              send.bytes);
      if (stage.micro_batch == 0) part.scan->body().count_sent(*send.receiver, send.bytes);
    }
  }

  const Frame& around_;
  Machine& machine_;
  const spmd::Instruction& loop_;
  const graph::Region& region_;
  const int64_t numbers_of_iteration_;  // numbers that a micro-batch uses for its collectives and itself
  const size_t turn_;                   // the first step of the backward part
  std::vector<Part> parts_;
  std::vector<Turn> turns_;  // of joined loops
  int64_t arenas_ = 0;       // of joined loops: for micro-batches under way, what a stage keeps between their two parts
  int64_t kept_bytes_ = 0;   // of one of them
};

class TakesOver : public MessagesAtOnce {
 public:
  TakesOver(const Frame& body, const spmd::Instruction& instruction, const Enclosing& enclosing)
      : around_(enclosing.frame),
        stage_(*enclosing.stage),
        output_(schedule::output_taken_over(body.program(), instruction)),
        carry_(enclosing.loop.results[output_]),
        places_(places_of(around_.value(carry_), *enclosing.loop.node->region)) {
    const Hosting& host = around_.hostings().of(enclosing.loop.node->mesh);
    const Slots& slots = body.slots(instruction.operands[0]);
    const std::vector<int64_t>& givers = has(stage_.turned, instruction) ? stage_.after : stage_.before;
    for (int p = 0; p < slots.count(); ++p) {
      const auto hosted = static_cast<size_t>(slots.first[static_cast<size_t>(p)]);
      Piece piece;
      piece.bytes = body.block_bytes(instruction.operands[0], p);
      if (!givers.empty()) {
        piece.peer = host.rank_of(givers[hosted]);
        if (piece.peer == host.rank()) piece.slot = around_.slots(carry_).of[host.index_of(givers[hosted])];
      }
      pieces_.push_back(piece);
    }
    const spmd::LocalValue& value = body.value(instruction.operands[0]);
    const int64_t sent = most_sent(instruction.kind, value, value, instruction.axes).elements;
    counted_ = {.count = 1, .values = sent, .bytes = sent * size_of(value.element)};
    counted_.wire_bytes = counted_.bytes;
  }

  int64_t staging_bytes() const override { return 0; }
  plan::CollectiveCount counted() const override { return counted_; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    for (size_t p = 0; p < pieces_.size(); ++p) {
      const Piece& piece = pieces_[p];
      if (piece.peer >= 0 && piece.slot < 0) {
        run.transport.receive(pending_, piece.peer, stage_.tag(run.transport, output_), results[0][p], piece.bytes);
        continue;
      }
      const void* from = operands[0][p];
      if (piece.slot >= 0)
        from = static_cast<const std::byte*>(around_.pointers().at(carry_, piece.slot)) +
               stage_.micro_batch % places_ * piece.bytes;
      std::memcpy(results[0][p], from, static_cast<size_t>(piece.bytes));
    }
  }

 private:
  struct Piece {
    int64_t bytes = 0;
    int peer = -1;  ///< the rank that hosts the previous stage; -1: there is none
    int slot = -1;  ///< of the loop's result, if this rank hosts the previous stage
  };
  const Frame& around_;
  const PipelineStage& stage_;
  const int output_;
  const int carry_;       // the loop's result with the carries of micro-batches
  const int64_t places_;  // of it
  std::vector<Piece> pieces_;
  plan::CollectiveCount counted_;
};

}  // namespace

std::unique_ptr<BoundLoop> bind_pipeline(const Frame& around, Machine& machine, const schedule::Step& step) {
  return std::make_unique<PipelineExecutor>(around, machine, step);
}

std::unique_ptr<BoundCollective> bind_take_over(const Frame& body, const spmd::Instruction& instruction,
                                                const Enclosing& enclosing) {
  return std::make_unique<TakesOver>(body, instruction, enclosing);
}

}  // namespace mtf::run
