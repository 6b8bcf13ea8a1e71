#pragma once
// Sends a block from the member of a group that has it to all other members, from rank to rank.
//
//   rank 1 (owner) ──► rank 2 ──► rank 3 ──► rank 0
//
// The block goes in pieces, and each rank passes a piece on when it has arrived. So no rank sends more than one block,
// and a large block takes about as long to reach all as to reach one. The ranks of a node follow each other, beginning
// with the owner's node, so the block crosses to each other node once.
#include <memory>

#include "run/collective.h"

namespace mtf::run {

/// `owner`: its index in each group along `axes`. `from` has the block on the owner alone.
std::unique_ptr<BoundCollective> bind_relay(const Hosting& hosting, const Transport& transport,
                                            const spmd::LocalValue& from, const spmd::LocalValue& to, AxisSet axes,
                                            int64_t owner);

}  // namespace mtf::run
