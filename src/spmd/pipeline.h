#pragma once
// A loop whose turns are split over stages, as a loop over micro-batches (GPipe, Huang et al., section 2.3).
//
//                 micro-batch 0         micro-batch 1
//   stage 0       layers 0, 1 ─┐        layers 0, 1 ─┐           start ──► stage 0
//   stage 1                    └► layers 2, 3        └► layers 2, 3        last stage ──► what is carried out
//
// What a stage does with one micro-batch is a turn of its own: it takes over what is carried from the stage before, and
// runs the loop's turns that are its block of the loop's dim. So the loop is two, one in the other. The inner one lies
// on a mesh with one axis more, as long as the dim of micro-batches, which it splits: there is no processor for it, but
// a place for each micro-batch.
//
// What is carried out of the last stage is a sum over the stages, of which the others hold zeros.
#include <memory>
#include <vector>

#include "graph/program.h"
#include "graph/region.h"

namespace mtf::spmd {

struct Pipeline {
  std::shared_ptr<const graph::LaidOutOperation> loop;  ///< over micro-batches; its region says what is what
  graph::Program turn;                                  ///< of one: the loop that it was, as its only operation
  std::vector<Sharding> lies;                           ///< where each operand of `loop` is to lie
  std::vector<size_t> operands, results;                ///< of each of `loop`: which of the loop that it was
};
Pipeline pipelined(const graph::LaidOutOperation& loop);

}  // namespace mtf::spmd
