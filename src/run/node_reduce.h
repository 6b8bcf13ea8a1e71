#pragma once
// An all_reduce or reduce_scatter among ranks of several nodes, which sends between nodes once.
//
// The array has a share for each node, and each rank adds a slice of its node's share:
//
// - Each rank puts its operand into its part of the node's shared memory.
// - For each other node, the ranks of a node add up what they have of that node's share, and send the sums.
// - Each rank adds what has come for its slice. It sends the result to each other node once.
// - The ranks of a node take the results from each other's parts.
//
// A reduce_scatter ends when each rank has added its slice, which is its result.
//
// The terms are added along the tree of the group (spmd/reduction_tree.h). A node sends one sum for each largest
// subtree that lies in it. So the bits are the same as those of messages between all ranks, wherever the ranks are.
//
//   4 ranks on 2 nodes    (a + b) on node 0, (c + d) on node 1: each node sends one sum of the other's half
//                         (a + c) on node 0, (b + d) on node 1: each node sends both operands, and one half of results
//
// A rank counts what its member sends in the message program of the group, whatever the ranks of a node share.
#include <memory>

#include "run/reduce_task.h"
#include "spmd/reduce_program.h"

namespace mtf::run {

/// True if each rank of the group hosts one member, and some of them share a node, but not all.
bool spans_nodes(const ReduceGroup& group, const SharedMemory* memory);

/// Returns for each rank of the group something that identifies its node.
std::vector<int> nodes_of(const ReduceGroup& group, const SharedMemory& memory);

/// Makes an all_reduce that counts as `program`. If the rank shares its node with others of the group, its staging
/// memory is in this rank's part of `memory`.
std::unique_ptr<ReduceTask> make_node_all_reduce(const ReduceGroup& group, ReduceElements elements,
                                                 const spmd::ReduceProgram& program, SharedMemory& memory);

/// Makes a reduce_scatter that counts as `program`. `slices` are the element counts by rank position. In the array the
/// slices have the order of GroupNodes::order().
std::unique_ptr<ReduceTask> make_node_scatter(const ReduceGroup& group, ReduceElements elements,
                                              const spmd::ReduceProgram& program, const std::vector<int64_t>& slices,
                                              SharedMemory& memory);

}  // namespace mtf::run
