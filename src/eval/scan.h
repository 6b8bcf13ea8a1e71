#pragma once
// Loops over a dim: `scan` and `stacked`. Their function is evaluated once, as the program of one iteration
// (ops/loop.h). This program becomes a region of the graph.
//
//   scan      the carry and the iteration's position of xs are leaves; all other values are constants
//   stacked   stacks the initial values of a model's params and states along the dim, which becomes their first dim
//
// Nothing is computed while the function is evaluated (Cuts::iteration). Work that the host would have to do in each
// iteration is an error, with the advice to write a `for` loop. Random calls in the region have the numbers of the
// first iteration. After the loop, the count of random calls includes those of all iterations.
#include <string_view>

#include "eval/host_library.h"

namespace mtf::eval {

inline constexpr std::string_view kScanDoc =
    "A loop over a dim that is checked, laid out, planned and differentiated once: calls `f(carry, x)` for each place "
    "of `over` in turn, beginning with `start`; x is that place of `xs`, a tensor, a tuple or list of them, or a "
    "model made by `stacked`, without the dim. Without `xs` it calls `f(carry)`. Gives the last carry or, if f "
    "returns a pair, also the second parts, stacked along the dim. What is carried keeps its dims and element types. "
    "`reverse` begins with the last place; with `recompute` only what is carried is kept for the backward pass. f may "
    "read what is around it, and assign the states and names of its stacked model and of models that it makes; what it "
    "appends to a list outside (`l := l + [y]`) is stacked as well. With `pipeline: micro`, a dim of all that is "
    "carried, each place of it is a micro-batch: where a layout splits `over`, each processor computes its own places "
    "of it, and micro-batches go from one to the next. `schedule: \"1f1b\"`: a processor begins the backward pass of a "
    "micro-batch as soon as it can, and keeps values for at most as many micro-batches as there are processors in the "
    "row; without it (`\"gpipe\"`) all micro-batches go forward first. `chunks: 2`: each processor computes two chunks "
    "of "
    "layers, and micro-batches pass through all processors twice. Then a processor waits half as long, and sends twice "
    "as much.";
inline constexpr std::string_view kStackedDoc =
    "The model that `f()` makes, once for each place of a dim: each of its params and states gains the dim, first. "
    "They begin with the values that as many instances made in a loop would have. With `chunks: 2` the dim is two, the "
    "chunks and the places of a chunk: so a pipeline of `scan` with as many chunks stores what it computes.";

HostValue scan(Caller& caller, const Bound& call);
HostValue stacked(Caller& caller, const Bound& call);

}  // namespace mtf::eval
