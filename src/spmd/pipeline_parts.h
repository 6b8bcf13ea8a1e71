#pragma once
// The parts of a pipeline whose turns alternate (spmd/join_pipelines.cpp), as operations of a program.
//
//   before     what the pipeline reads
//   entry      what makes the start of the forward pass, for one micro-batch: the first stage alone runs it
//   forward    the first loop over layers
//   loss       what stands between the loops, for one micro-batch: the last stage alone runs it
//   backward   the second loop over layers
//   exit       what reads the gradient of the start, for one micro-batch: the first stage alone runs it
//   after      what reads the results
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "graph/program.h"
#include "graph/region.h"

namespace mtf::spmd {

enum class PipelinePart : uint8_t { kBefore, kEntry, kForward, kLoss, kBackward, kExit, kAfter };

class PipelineParts {
 public:
  /// `forward` and `backward`: the indices of the two loops.
  PipelineParts(const graph::Program& program, int forward, int backward);

  /// Returns false if the second loop needs something that mixes micro-batches, or if nothing stands between the loops.
  bool find();

  PipelinePart of(size_t operation) const { return parts_[operation]; }
  PipelinePart of(graph::ProgramValue value) const {
    return value.is_input() ? PipelinePart::kBefore : parts_[value.source];
  }
  /// True for an operation of the entry that is also one of the exit: a mask of dropout, which both draw.
  bool is_drawn_again(size_t operation) const { return drawn_again_[operation]; }
  bool is_inside(PipelinePart part) const { return part != PipelinePart::kBefore && part != PipelinePart::kAfter; }
  bool is_inside(graph::ProgramValue value) const { return is_inside(of(value)); }
  graph::AlongMicro along(graph::ProgramValue value) const;
  /// Returns the values of a part that other parts read.
  const std::set<graph::ProgramValue>& outputs(PipelinePart part) const { return outputs_[static_cast<size_t>(part)]; }
  /// Returns the values inside that operations before or after the joined loop read, or the program's ends.
  const std::set<graph::ProgramValue>& read_outside() const { return read_outside_; }

 private:
  using Readers = unsigned;  ///< a bit for each part

  static Readers bit(PipelinePart part) { return 1U << static_cast<unsigned>(part); }
  bool has_micro(const TensorType& type) const { return has_dim(type.dims, region_.micro); }
  const graph::LaidOutOperation& operation(size_t i) const { return *program_.operations[i].operation; }
  bool find_behind_forward();
  bool may_be_read_backward() const;
  bool may_be_in_exit(size_t i) const;
  bool is_by_micro_batch(size_t i);
  void take_operands();
  bool leave_truth_behind();
  PipelinePart part_for(size_t i, Readers readers);
  bool depends_on_draws_alone(size_t i) const;
  bool is_repeated_number(size_t i) const;
  bool is_computed_by_micro_batch(size_t i);
  bool is_larger_than_operands(size_t i) const;
  void find_outputs();
  bool all_origins_known() const;

  const graph::Program& program_;
  const int forward_, backward_;
  const graph::LaidOutOperation& first_;
  const graph::Region& region_;
  std::vector<PipelinePart> parts_;                    // for each operation
  std::vector<std::vector<graph::AlongMicro>> along_;  // for each operation of the joined loop: its results
  std::vector<bool> is_drawn_, drawn_again_;           // for each operation
  std::set<graph::ProgramValue> read_outside_;
  std::vector<std::set<graph::ProgramValue>> outputs_;  // for each part
};

}  // namespace mtf::spmd
