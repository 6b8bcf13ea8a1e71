#pragma once
// Expansions: the graph of smaller operations that stands for one where a dim is split that it needs whole.
//
// There is another way: to bring that dim whole, so that the operation is computed as it is, its work divided over its
// other dims. An expansion whose values are of dims that one operand or result has (softmax, layer_norm, cross_entropy)
// is never more than that in memory, and stands always. One that makes more of them, as attention makes scores of every
// query and every place of the memory, is compared with the other way: by what a processor sends and by the largest
// block that it then has, in bytes, added up, so that scores are stored only where they are few. Work is never repeated
// for it: where no other dim can take the axes, the expansion stands.
#include <functional>
#include <vector>

#include "graph/program.h"
#include "ops/builder.h"
#include "spmd/local_program.h"

namespace mtf::spmd {

/// Where an operand of an operation that is expanded lies.
struct ExpandedOperand {
  Sharding sharding;
  AxisSet inherited = 0;
  bool operator==(const ExpandedOperand&) const = default;
};

/// What `make` adds to a graph, from an operation's operands to its results, as a program that stands for it: its first
/// inputs are the operands, the others numbers of its own; its roots are the results, each laid out as the operation's.
/// Without `operands` they are whole.
graph::Program stand_in_for(const graph::LaidOutOperation& operation, const std::vector<ExpandedOperand>& operands,
                            const std::function<graph::Values(ops::Builder&, const graph::Values&)>& make);

/// The local program of an operation and nothing else.
LocalProgram split_alone(const graph::OperationRef& operation, const std::vector<ExpandedOperand>& operands);
/// Of the largest block.
int64_t largest_bytes(const LocalValue& value);

/// The same of an operation that has an expansion. `blocks` as ExpandCall has it.
graph::Program expansion_of(const graph::LaidOutOperation& operation, const std::vector<ExpandedOperand>& operands = {},
                            int64_t blocks = 1);

/// True if the operation is less as it is than as its expansion, of which `parts` is the program.
bool is_less_whole(const graph::OperationRef& operation, const std::vector<ExpandedOperand>& operands,
                   const graph::Program& parts);

}  // namespace mtf::spmd
