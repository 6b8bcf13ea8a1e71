#pragma once
// Copies that a cut keeps beside values: those of variables in bf16 that stay with them (Computed::narrowed), as values
// of their own, and those that are kept for gradients (Program::for_gradients), as tensors of the nodes.
//
// What a forward pass has brought elsewhere for an operation whose gradient rule reads the same (keys and values that
// it has gathered) a backward pass of the same program would find there. If a cut falls between the two, the forward
// program's copies are outputs of it, and inputs of the backward program, so that the cut costs no collective.
#include <memory>
#include <span>
#include <vector>

#include "graph/program.h"
#include "plan/program_record.h"
#include "plan/tensor.h"

namespace mtf::plan {

struct StayingCopy {
  graph::NodePtr variable;
  graph::Handle copy;
};
/// The copies among nodes that a cut is about to compute which stay with variables: not of what has been assigned.
std::vector<StayingCopy> copies_that_stay(const std::vector<graph::NodePtr>& nodes);
/// They have been computed.
void stay(const std::vector<StayingCopy>& copies);

/// Says of which inputs and roots of a capture copies are kept: those of `values` that it has.
void keep_copies(graph::Capture& capture, const graph::Values& roots, const graph::Values& values);
/// Tells the capture's program which copies its inputs have.
void offer_copies(graph::Capture& capture);
/// The tensor of copy `copy` of an input.
Tensor* copy_of(const graph::Value& input, int copy);
/// Gives the nodes the copies that a run of the capture's program has made: `copied` of each (LocalProgram).
void store_copies(const graph::Capture& capture, const graph::Values& roots, const std::vector<int>& copied,
                  std::span<const std::shared_ptr<Tensor>> copies);
/// Program `number` of the record may make copies of these values, under other layouts: what one like it has not left.
void note_copies(const graph::Capture& capture, const graph::Values& roots, const ProgramRecord& record,
                 int32_t number);

}  // namespace mtf::plan
