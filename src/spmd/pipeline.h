#pragma once
// Rewrites a loop whose iterations are split over stages as a loop over micro-batches (GPipe, Huang et al., section
// 2.3).
//
//                 micro-batch 0         micro-batch 1
//   stage 0       layers 0, 1 ─┐        layers 0, 1 ─┐           start ──► stage 0
//   stage 1                    └► layers 2, 3        └► layers 2, 3        last stage ──► final carry
//
// One iteration of the outer loop is a stage's work on one micro-batch. It receives the carry from the stage before
// and runs the iterations in the stage's block of the loop's dim. These iterations are the inner loop. The inner loop
// uses a mesh with one more axis, as long as the dim of micro-batches, which the axis splits. This axis has no
// processors: its positions are the micro-batches.
//
// The final carry of the last stage is returned as a sum over the stages, to which the other stages add zeros. Linear
// operations may leave it so. Where it is needed whole, the last stage sends it to the others (LocalBuilder).
#include <memory>
#include <vector>

#include "graph/program.h"
#include "graph/region.h"
#include "spmd/local_program.h"

namespace mtf::spmd {

struct Pipeline {
  std::shared_ptr<const graph::LaidOutOperation> loop;  ///< the loop over micro-batches
  graph::Program iteration;               ///< one of its iterations, whose only operation is the original loop
  std::vector<Sharding> lies;             ///< the required sharding of each operand of `loop`
  std::vector<size_t> operands, results;  ///< for each operand and result of `loop`: its index in the original loop
};
/// Returns the pipeline of a loop over layers, or of a loop that joins two (spmd/join_pipelines.h). `chunks`: of the
/// layers of each stage.
Pipeline pipelined(const graph::LaidOutOperation& loop, int64_t chunks = 1);

/// Converts values to a mesh whose last axis splits the dim of micro-batches.
class OnMicroBatches {
 public:
  OnMicroBatches(const Mesh& mesh, Name micro, int64_t count);
  const MeshPtr& mesh() const { return mesh_; }
  Sharding split(Sharding sharding, const Dims& dims) const;
  graph::OperationRef operation(const graph::LaidOutOperation& was) const;

 private:
  std::shared_ptr<const graph::Region> region(graph::Region region) const;

  const Name micro_;
  MeshPtr mesh_;
};

/// The number of processors along an axis. The axis of micro-batches, whose name has a prime, has one.
int64_t processors_along(const Mesh& mesh, int axis);
/// The number of micro-batches of a pipelined loop.
int64_t micro_batches(const graph::Region& region);
/// The number of chunks of layers that each stage has in a pipeline whose schedule is interleaved (Megatron-LM:
/// Narayanan et al., 2021, section 2.2); 1 in other pipelines. With 2 stages and 2 chunks, stage 0 has the first and
/// the third quarter of the layers. `loop`: a loop over micro-batches, or the loop over layers in one of its
/// iterations. That loop has `over.size` layers in a chunk, in all stages. Its region counts the iterations of all
/// chunks.
int64_t chunks_of(const graph::LaidOutOperation& loop);
/// The time that a stage waits in a pipeline, in iterations.
double idle_iterations(const graph::LaidOutOperation& loop);
/// The number of micro-batches that pass through one chunk of a stage before others pass through its next chunk. They
/// are at least as many as the stages, if the pipeline has as many.
int64_t largest_group(int64_t micro_batches, int64_t stages);
/// The number of turns in which a stage waits: before its first micro-batch arrives, and after its last one has left.
int64_t idle_turns(int64_t stages, int64_t chunks, int64_t micro_batches);
/// The number of forward turns that stage `stage` of a joined loop is ahead of its backward turns, at most.
int64_t most_under_way(const graph::LaidOutOperation& loop, int64_t stage);
/// Returns the type and the sharding of a value with a dim of layers, first, in chunks: `layers` becomes [chunks,
/// layers of a chunk]. The stages split the second of the two.
TensorType in_chunks(TensorType type, int64_t chunks);
Sharding in_chunks(Sharding sharding);
/// Returns the type with the dim of chunks as its first one, which is no other dim's.
TensorType with_chunks(TensorType type, int64_t chunks);
/// Returns the type of one chunk of a value with a dim of layers.
TensorType of_one_chunk(TensorType type, int64_t chunks);
/// Returns the loop over layers as a stage runs it with one micro-batch, for one chunk of its layers.
graph::OperationRef of_one_chunk(const graph::OperationRef& stage, int64_t chunks);
/// The number of stages that have an iteration to run.
int64_t busy_stages(const graph::LaidOutOperation& loop);
/// Returns the loop as a stage runs it, with one micro-batch.
graph::OperationRef of_stage(const graph::LaidOutOperation& loop, const OnMicroBatches& micro);
/// The stages that run an instruction.
enum class RunBy : uint8_t { kAll, kFirst, kLast };
/// Returns, for each instruction of the iteration of a pipeline, the stages that run it. A loop that joins two has
/// loops of one turn. The last stage runs the one between the loops over layers, the first stage runs the others.
std::vector<RunBy> run_by(const LocalProgram& iteration);
/// Returns the instructions by which a stage takes over what the next stage has left: those behind the loss. Only a
/// loop that joins two has any.
std::vector<const Instruction*> turned_back(const LocalProgram& iteration);
/// Returns the sharding that a stage needs of operand `k` of a pipelined loop.
Sharding operand_of_stages(const graph::LaidOutOperation& loop, size_t k);

}  // namespace mtf::spmd
