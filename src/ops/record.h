#pragma once
// Included by the source of each family: the parts of a record, and `complete`, which refuses an incomplete record.
//
//   constexpr Op kRelu = complete({
//       .name = "relu", .signature = "relu(x: tensor)", .family = "Element-wise", .doc = "…", .example = "…",
//       .samples = "…", .build = …, .infer = …, .space = …, .lane = LaneOp::kRelu, .gradient = …});
//
// This header declares the record of every line of ops.def. A line without a record does not link.
#include "graph/gradient_call.h"
#include "graph/kernel_call.h"
#include "graph/op.h"
#include "ops/builder.h"
#include "ops/call.h"
#include "ops/ops.h"
#include "ops/spaces.h"
#include "ops/type_rules.h"
#include "support/diagnostics.h"

namespace mtf::ops {

/// Returns the record if nothing is missing. Otherwise the compiler shows the thrown sentence.
consteval graph::Op complete(graph::Op op) {
  if (op.name.empty()) throw "a record needs a name";
  if (op.family.empty()) throw "a record needs a family, the heading that it stands under";
  if (op.doc.empty()) throw "a record needs a sentence of documentation";
  if (!op.signature.empty()) {
    if (!op.signature.starts_with(op.name) || op.signature[op.name.size()] != '(')
      throw "a signature is the name and the parameters: `relu(x: tensor)`";
    if (op.build == nullptr) throw "an operation that scripts can call needs `build`";
    if (op.example.find("#>") == std::string_view::npos)
      throw "an operation that scripts can call needs an example with its output";
    if (op.samples.empty()) throw "an operation that scripts can call needs samples for the tests of every operation";
  }
  if (op.infer == nullptr) {  // it only builds other operations and has no node of its own
    if (op.build == nullptr) throw "a record needs `infer`, or `build` if it only builds other operations";
    return op;
  }
  if (!op.is_leaf() && op.space == nullptr) throw "a record needs `space`: what splitting each dim means";
  const int ways = (op.lane ? 1 : 0) + (op.reduction ? 1 : 0) + (op.kernel ? 1 : 0) +
                   (op.role == graph::Role::kView || op.role == graph::Role::kLoop || op.is_leaf() ? 1 : 0);
  if (ways == 0) throw "a record needs a way to compute it: lane, reduction, kernel, view, loop or leaf";
  if (op.lane && (op.reduction || op.kernel)) throw "a record is computed in one way";
  if (!op.is_leaf() && (op.gradient == nullptr) == op.no_gradient.empty())
    throw "a record needs a gradient, or the reason why there is none";
  if (op.work == graph::Work::kExpansion && op.expand == nullptr) throw "work counted as an expansion needs `expand`";
  if (op.role == graph::Role::kContraction && op.result_order == nullptr) throw "a contraction needs `result_order`";
  return op;
}

}  // namespace mtf::ops
