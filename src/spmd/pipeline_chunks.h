#pragma once
// Pipelines whose stages have several chunks of layers, the interleaved schedule of Megatron-LM (Narayanan et al.,
// 2021, section 2.2). A turn of a stage runs one chunk with one micro-batch:
//
//     layers       0 1   2 3   4 5   6 7
//     2 stages     0     1     0     1          the first stage has layers 0, 1, 4 and 5
//
// Outside of the loop over micro-batches, a value with a dim of layers has two dims instead, [chunks, layers of a
// chunk]. The stages split the second one. A turn reads or writes one chunk of the value. Reshapes around the loop give
// values these dims. If a reshape has given an operand its dim of layers, the loop reads the operand of that reshape.
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "graph/program.h"
#include "graph/region.h"

namespace mtf::spmd {

/// The chunks of the layers of one pipeline, and its values with a dim of layers.
class ChunksOfLayers {
 public:
  /// `loops`: the indices of the pipeline's loops over layers. `is_inside`: true for an operation that stages run for
  /// one micro-batch at a time. There is one chunk if the loops do not ask for more, if stages cannot have equal
  /// chunks, or if an operation inside reads a value with a dim of layers otherwise than layer by layer.
  ChunksOfLayers(const graph::Program& program, const std::vector<int>& loops,
                 const std::function<bool(size_t)>& is_inside);

  int64_t count() const { return count_; }
  /// True if there are several chunks, and the value has a dim of layers.
  bool has(graph::ProgramValue value) const { return count_ > 1 && values_.contains(value); }
  /// True if there are several chunks, and the value is a sum over layers for each micro-batch: the gradient of a mask
  /// that all layers read, for instance. Around the loop it has the dim of chunks, whose sums are then added up.
  bool is_sum(graph::ProgramValue value) const { return count_ > 1 && sums_.contains(value); }
  /// Returns the type and the sharding of a value around the loop over micro-batches.
  TensorType around(graph::ProgramValue value) const;
  Sharding around(graph::ProgramValue value, Sharding lies) const;
  /// Returns the type of a value in an iteration of that loop.
  TensorType inside(graph::ProgramValue value) const;

 private:
  const graph::Program& program_;
  int64_t count_ = 1;
  std::set<graph::ProgramValue> values_, sums_;
};

/// A program in which one loop over micro-batches takes the place of operations.
class ProgramAroundPipeline {
 public:
  ProgramAroundPipeline(const graph::Program& program, const ChunksOfLayers& chunks);

  /// Adds operation `i` as it is. A reshape that gives a result of the loop its dims of chunks is left out.
  void copy(size_t i);
  /// Adds the loop. `operands`: its operands in the old program, with the shardings that stages need. `results`: the
  /// indices of its results, by value of the old program.
  void add_loop(graph::ProgramOperation loop, const std::vector<std::pair<graph::ProgramValue, Sharding>>& operands,
                const std::map<graph::ProgramValue, int32_t>& results);
  graph::Program take();

 private:
  graph::ProgramValue moved(graph::ProgramValue value) const { return value.is_input() ? value : moved_.at(value); }
  int32_t add(graph::ProgramOperation entry, std::span<const graph::ProgramValue> operands);
  graph::ProgramValue added_up(graph::ProgramValue value);
  void leave_out_unread();
  graph::ProgramValue in_chunks(graph::ProgramValue value, const Sharding& lies);
  graph::ProgramValue reshaped(graph::ProgramValue value, const TensorType& was, const TensorType& is,
                               const Sharding& lies);

  const graph::Program& program_;
  const ChunksOfLayers& chunks_;
  graph::Program now_;
  std::map<graph::ProgramValue, graph::ProgramValue> moved_;  // values of the old program, in the new one
  std::map<graph::ProgramValue, int32_t> results_;            // of the loop
  /// For the loop's results with a dim of layers, and for their layouts: the result.
  std::map<graph::ProgramValue, graph::ProgramValue> in_chunks_;
  int32_t loop_ = -1;
  graph::OperationRef of_loop_;
};

}  // namespace mtf::spmd
