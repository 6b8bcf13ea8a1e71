#pragma once
// Runs a pipeline on this rank: each stage that the rank hosts, with each micro-batch.
//
// A stage hosts the processors with one coordinate along the pipeline's axes. It runs its iterations of the loop inside
// with one micro-batch, and sends the carry to the next stage. Micro-batches are iterations of the enclosing loop. Two
// stages on two ranks, with three micro-batches:
//
//   rank 0   stage 0   m0 ─┐ m1 ─┐ m2 ─┐
//   rank 1   stage 1       └► m0 └► m1 └► m2
//
// If one rank hosts both stages, the next stage reads the carry in the memory of the loop's result. A result that only
// stages read has fewer places than there are micro-batches; they take the places in turn.
//
// A loop that joins two (spmd/join_pipelines.h) has a forward and a backward part. A stage runs the backward part of a
// micro-batch when the next stage has sent the gradient, so it alternates between the parts. What the
// backward part reads lives from one part to the other. So a stage has as much of it as it has micro-batches under way.
// All turns use the same memory for the rest.
//
// With several chunks of layers (spmd/join_pipelines.h), each chunk of a stage is a stage of its own here. The chunks
// of one stage have the same processors, and take turns (run/pipeline_turns.h).
#include <memory>
#include <set>
#include <vector>

#include "run/scan_executor.h"

namespace mtf::run {

/// One stage of a pipeline with one micro-batch, on this rank.
class PipelineStage {
 public:
  /// A message to the next stage on another rank.
  struct Send {
    const spmd::Instruction* receiver;  ///< the kTakeOver instruction of the body that receives it
    int output;                         ///< of the body
    int peer;
    int slot;        ///< of the loop's result
    int64_t places;  ///< of the loop's result: the number of micro-batches that it holds at once
    int64_t bytes;
    bool goes_back = false;  ///< to the stage before, at the end of the backward part
  };

  PipelineStage(Hostings& around, std::unique_ptr<Hosting> own) : hostings(around, std::move(own)) {}

  /// The tag of a message with an output of the body. `sender`: the number of the stage that sends it.
  static int tag(const Transport& transport, int64_t sender, int output) {
    return transport.tag_of(sender) + output % Transport::kTagsOfCollective;
  }

  /// Returns the place of the micro-batch in the loop's result.
  int64_t place_of(const Send& send) const { return micro_batch % send.places; }

  Hostings hostings;  ///< of its body
  int64_t micro_batch = 0;
  int64_t chunk = 0;  ///< of the stage's layers
  bool has_iterations = false;
  int32_t carried = 0;      ///< the number of carried outputs; they come first and go to the next stage
  std::vector<int> hosted;  ///< for each processor of the stage: its index in the enclosing hosting
  /// For each processor of the stage: the processor of the previous stage, and of the next; empty if there is none.
  std::vector<int64_t> before, after;
  std::vector<const spmd::Instruction*> turned;  ///< the instructions that take over from the next stage
  std::set<const spmd::Instruction*> left_out;   ///< the instructions that another stage runs
  std::vector<bool> on_first;                    ///< as on_last, for the first stage
  int64_t place = 0;           ///< among the stages, in the order of micro-batches; a chunk of layers counts as a stage
  int64_t position = 0;        ///< of its processors, among those of all stages
  int64_t number_between = 0;  ///< the number of collectives begun after the forward part
  std::vector<bool> on_last;   ///< for each processor of the enclosing hosting: it is in the last stage
  std::vector<Send> sends;
  int64_t number = 0;                           ///< among collective numbers, the same on all ranks
  int64_t number_before = 0, number_after = 0;  ///< of the stages before and after, with the same micro-batch
};

/// Binds a pipeline: a body for each micro-batch and each stage that this rank hosts.
std::unique_ptr<BoundLoop> bind_pipeline(const Frame& around, Machine& machine, const schedule::Step& step);

/// Binds the collective of a stage's body that receives the carry of a micro-batch from the previous stage. In the
/// first stage it copies the initial carry of the loop.
std::unique_ptr<BoundCollective> bind_take_over(const Frame& body, const spmd::Instruction& instruction,
                                                const Enclosing& enclosing);

}  // namespace mtf::run
