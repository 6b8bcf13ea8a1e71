#pragma once
// Copies that a cut keeps beside values. There are two kinds:
//
// - A variable's copy in bf16 (Computed::narrowed). It is a value of its own, and stays until the variable is assigned.
//   It is made inside `no_grad`, by the second program that narrows the variable (Builder::narrowed, ops/builder.h).
//   Training assigns the variable in each program, so it keeps no such copy. A product under `precision bf16` then
//   multiplies both operands as bf16, with the same bits.
// - Resharded copies for gradients (Program::for_gradients). They are tensors of the nodes.
//
// A forward pass may gather keys and values for an operation whose gradient rule reads the gathered values again. In
// one program the backward pass reuses these copies. If a cut separates the two passes, the copies are outputs of the
// forward program and inputs of the backward program. So the cut costs no collective. The copies take memory until the
// history ends, as they would in one program. Variables are gathered again, and a backward pass leaves no copies,
// because it is seldom differentiated. No results of operations inside an expansion (spmd/expand.h) are kept either:
// the gradient expands the operation again. This costs flops, but no memory of the size of these results.
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
/// Returns the bf16 copies among `nodes` that stay with their variables. A variable that has been assigned keeps none.
std::vector<StayingCopy> copies_that_stay(const std::vector<graph::NodePtr>& nodes);
/// Attaches the computed copies to their variables.
void stay(const std::vector<StayingCopy>& copies);

/// Marks the inputs and roots of the capture whose copies are to be kept: those that are in `values`.
void keep_copies(graph::Capture& capture, const graph::Values& roots, const graph::Values& values);
/// Lists the existing copies of each input in the capture's program.
void offer_copies(graph::Capture& capture);
/// Returns the tensor of copy number `copy` of an input.
Tensor* copy_of(const graph::Value& input, int copy);
/// Stores the copies that a run has made in the nodes. `copied` holds the index in for_gradients of each copy
/// (LocalProgram::copied).
void store_copies(const graph::Capture& capture, const graph::Values& roots, const std::vector<int>& copied,
                  std::span<const std::shared_ptr<Tensor>> copies);
/// Records that program `number` may make copies of its for_gradients values under other layouts. Skips a value that
/// already names a program like it.
void note_copies(const graph::Capture& capture, const graph::Values& roots, const ProgramRecord& record,
                 int32_t number);

}  // namespace mtf::plan
