#include "run/pipeline_executor.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "run/pipeline_turns.h"
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
      const int64_t turns = most_iterations(loop) * (loop.region->hands_on ? spmd::chunks_of(loop) : 1);
      count += turns * (collectives_of(*step.iteration) + (loop.region->hands_on ? 1 : 0));
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
/// through them. With several chunks, each chunk of a stage is a stage: stage 0 has the places 0, n, 2 n, …
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
    chunks_ = static_cast<size_t>(spmd::chunks_of(*loop.node));
    is_reversed_ = reverse;
  }

  int64_t busy() const { return static_cast<int64_t>(busy_); }

  /// Returns the stages that this rank hosts, with one micro-batch.
  std::vector<std::unique_ptr<PipelineStage>> hosted(int64_t micro_batch) const {
    std::vector<std::unique_ptr<PipelineStage>> stages;
    for (size_t s = 0; s < (chunks_ > 1 ? places() : all_.size()); ++s) {
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
  /// The number of places through which a micro-batch passes.
  size_t places() const { return busy_ * chunks_; }
  /// Returns the stage whose processors have the place `s`.
  const At& at(size_t s) const { return all_[chunks_ > 1 ? s % busy_ : s]; }
  bool is_in(int64_t processor, size_t s) const {
    return mesh_.index_in_group(processor, axes_) == mesh_.index_in_group(at(s).processor, axes_);
  }
  /// Returns the processor of stage `to` that corresponds to a processor of stage `from`.
  int64_t moved(int64_t processor, size_t from, size_t to) const {
    return processor - at(from).processor + at(to).processor;
  }

  std::unique_ptr<PipelineStage> stage(size_t s, int64_t micro_batch, std::unique_ptr<Hosting> own) const {
    auto stage = std::make_unique<PipelineStage>(around_.hostings(), std::move(own));
    stage->micro_batch = micro_batch;
    stage->carried = inner_->carried;
    stage->place = static_cast<int64_t>(s);
    stage->position = static_cast<int64_t>(&at(s) - all_.data());
    if (chunks_ > 1) stage->chunk = static_cast<int64_t>(is_reversed_ ? chunks_ - 1 - s / busy_ : s / busy_);
    stage->turned = turned_;
    if (!turned_.empty())
      for (size_t i = 0; i < by_.size(); ++i)
        if ((by_[i] == spmd::RunBy::kFirst && s > 0) || (by_[i] == spmd::RunBy::kLast && s + 1 < places()))
          stage->left_out.insert(&iteration_.program.instructions[i]);
    stage->has_iterations = at(s).iterations.size() > 0;
    for (size_t i = 0; i < host().processors().size(); ++i) {
      const int64_t processor = host().processors()[i];
      stage->on_last.push_back(is_in(processor, places() - 1));
      stage->on_first.push_back(is_in(processor, 0));
      if (!is_in(processor, s)) continue;
      stage->hosted.push_back(static_cast<int>(i));
      if (s > 0) stage->before.push_back(moved(processor, s, s - 1));
      if (s + 1 < places()) stage->after.push_back(moved(processor, s, s + 1));
    }
    if (s + 1 < places()) add_sends(*stage, s, s + 1);
    if (s > 0 && s < places() && !turned_.empty()) add_sends(*stage, s, s - 1);
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
  size_t chunks_ = 1;
  bool is_reversed_ = false;  // micro-batches pass through the last layers first
};

// ---- the pipeline ---------------------------------------------------------------------------------------------------

class PipelineExecutor final : public BoundLoop {
 public:
  PipelineExecutor(const Frame& around, Machine& machine, const schedule::Step& step)
      : around_(around),
        machine_(machine),
        loop_(around.program().instructions[step.instructions[0]]),
        region_(*loop_.node->region),
        chunks_(spmd::chunks_of(*loop_.node)),
        numbers_of_iteration_(collectives_of(*step.iteration) + 1),
        turn_(schedule::turning_point(*step.iteration)) {
    const Stages stages(around, loop_, *step.iteration);
    for (int64_t iteration = 0; iteration < region_.iterations; ++iteration)
      for (std::unique_ptr<PipelineStage>& stage : stages.hosted(iteration)) {
        const Enclosing enclosing{around, loop_, stage.get()};
        auto body = std::make_unique<StepExecutor>(step.iteration, machine, stage->hostings, false, &enclosing);
        auto scan = std::make_unique<ScanExecutor>(std::move(body), around, loop_, Interval{iteration, iteration + 1},
                                                   &stage->hosted, stage->chunk);
        parts_.push_back({std::move(stage), std::move(scan)});
      }
    for (const Part& part : parts_) kept_bytes_ = std::max(kept_bytes_, part.scan->kept_bytes());
    stages_ = stages.busy();
    if (!region_.joined.empty()) alternate(stages_);
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
        begin_numbers(*part.stage, begun);
        part.scan->run(run);
        hand_on(part, false);
      }
    for (const Turn& turn : turns_) run_turn(turn, run, begun);
    machine_.collectives_begun = begun + region_.iterations * chunks_ * numbers_of_iteration_;
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

  /// Decides the order of forward and backward turns of this rank's stages.
  void alternate(int64_t stages) {
    std::map<std::pair<int64_t, int64_t>, size_t> parts;  // by place and micro-batch
    std::map<int64_t, int64_t> first_arena;               // by stage
    for (size_t p = 0; p < parts_.size(); ++p) {
      const PipelineStage& stage = *parts_[p].stage;
      if (!stage.has_iterations) continue;
      parts[{stage.place, stage.micro_batch}] = p;
      first_arena.try_emplace(stage.position, 0);
    }
    const auto most = [&](int64_t s) { return spmd::most_under_way(*loop_.node, s); };
    for (auto& [s, first] : first_arena) first = std::exchange(arenas_, arenas_ + most(s));
    for (const PipelineTurn& turn : alternating_turns(stages, chunks_, region_.iterations, most)) {
      const auto part = parts.find({turn.place, turn.micro_batch});
      if (part == parts.end()) continue;
      parts_[part->second].arena = first_arena.at(turn.stage) + turn.arena;
      turns_.push_back({part->second, turn.is_backward});
    }
  }

  /// Sets the numbers of a stage's messages, and the number of its first collective.
  void begin_numbers(PipelineStage& stage, int64_t begun) const {
    const int64_t stages = std::max<int64_t>(stages_, 1);
    const auto number_of = [&](int64_t place) {
      return begun + (stage.micro_batch * chunks_ + (chunks_ > 1 ? place / stages : 0)) * numbers_of_iteration_;
    };
    stage.number = number_of(stage.place);
    stage.number_before = number_of(std::max<int64_t>(stage.place - 1, 0));
    stage.number_after = number_of(stage.place + 1);
    machine_.collectives_begun = stage.number + 1;
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
      begin_numbers(stage, begun);
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
        machine_.transport.wait(machine_.handed_on[{part.stage->position, goes_back, part.stage->place_of(send)}]);
  }

  /// Sends the carry of a micro-batch to the next stage, if other ranks host that stage.
  void hand_on(const Part& part, bool goes_back) {
    const PipelineStage& stage = *part.stage;
    for (const PipelineStage::Send& send : stage.sends) {
      if (send.goes_back != goes_back) continue;
      const auto* all = static_cast<const std::byte*>(around_.pointers().at(loop_.results[send.output], send.slot));
      machine_.transport.send(machine_.handed_on[{stage.position, goes_back, stage.place_of(send)}], send.peer,
                              PipelineStage::tag(machine_.transport, stage.number, send.output),
                              all + stage.place_of(send) * send.bytes, send.bytes);
      if (stage.micro_batch == 0) counting(stage).scan->body().count_sent(*send.receiver, send.bytes);
    }
  }

  /// Returns the part that counts the messages of all chunks of a stage.
  const Part& counting(const PipelineStage& stage) const {
    return *std::find_if(parts_.begin(), parts_.end(),
                         [&](const Part& each) { return each.stage->position == stage.position; });
  }

  const Frame& around_;
  Machine& machine_;
  const spmd::Instruction& loop_;
  const graph::Region& region_;
  const int64_t chunks_;                // of each stage's layers
  const int64_t numbers_of_iteration_;  // numbers that a micro-batch uses for its collectives and itself
  const size_t turn_;                   // the first step of the backward part
  std::vector<Part> parts_;
  std::vector<Turn> turns_;  // of joined loops
  int64_t arenas_ = 0;       // of joined loops: for micro-batches under way, what a stage keeps between their two parts
  int64_t kept_bytes_ = 0;   // of one of them
  int64_t stages_ = 0;       // the number of stages with iterations
};

class TakesOver : public MessagesAtOnce {
 public:
  TakesOver(const Frame& body, const spmd::Instruction& instruction, const Enclosing& enclosing)
      : around_(enclosing.frame),
        stage_(*enclosing.stage),
        goes_back_(has(stage_.turned, instruction)),
        output_(schedule::output_taken_over(body.program(), instruction)),
        carry_(enclosing.loop.results[output_]),
        places_(places_of(around_.value(carry_), *enclosing.loop.node->region)) {
    const Hosting& host = around_.hostings().of(enclosing.loop.node->mesh);
    const Slots& slots = body.slots(instruction.operands[0]);
    const std::vector<int64_t>& givers = goes_back_ ? stage_.after : stage_.before;
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
    const int64_t chunks = spmd::chunks_of(*enclosing.loop.node);  // each of them receives each micro-batch
    counted_ = {.count = chunks, .values = sent * chunks, .bytes = sent * chunks * size_of(value.element)};
    counted_.wire_bytes = counted_.bytes;
  }

  int64_t staging_bytes() const override { return 0; }
  plan::CollectiveCount counted() const override { return counted_; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    for (size_t p = 0; p < pieces_.size(); ++p) {
      const Piece& piece = pieces_[p];
      if (piece.peer >= 0 && piece.slot < 0) {
        const int64_t sender = goes_back_ ? stage_.number_after : stage_.number_before;
        run.transport.receive(pending_, piece.peer, PipelineStage::tag(run.transport, sender, output_), results[0][p],
                              piece.bytes);
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
  const bool goes_back_;  // the value comes from the next stage
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
