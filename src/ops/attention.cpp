// attention: the records. Its expansion is in attention_graph.cpp, its kernels in attention_kernel.cpp.
#include "ops/attention.h"

#include <cmath>

#include "ops/blocks.h"
#include "ops/gradients.h"
#include "ops/softmax.h"

namespace mtf::ops {
namespace {

constexpr std::string_view kNeuralNetworks = "Neural networks";

/// The dim of operand `of` that an argument names. Fails if the operand lacks it.
Dim dim_of_argument(const Call& call, std::string_view argument, std::string_view of) {
  const Dim& asked = call.argument(argument).dims[0];
  const graph::Value& value = call.tensor(of);
  const int position = find_dim(value.dims(), asked.name);
  if (position < 0)
    fail(Kind::dim_not_in_operands, call.span_of(argument), "expected a dimension of {} for `{}`, found `{}`",
         describe(value), argument, asked.name.text());
  return value.dims()[position];
}

[[noreturn]] void refuse(const Call& call, std::string_view argument, const std::string& expected,
                         const std::string& help) {
  fail(Diagnostic(Kind::shape_mismatch, call.span_of(argument),
                  fmt::format("expected {}, found {}", expected, describe(call.tensor(argument))))
           .help(help));
}

/// Fails if the dims of k, v, bias and mask do not fit. Returns the dim of values.
Dim check_dims(const Call& call, const Dim& length, const Dim& memory, const Dim& features) {
  const graph::Value& q = call.tensor("q");
  const graph::Value& k = call.tensor("k");
  const graph::Value& v = call.tensor("v");
  const std::string others =
      "the other dimensions of k and v are the same, and dimensions of q; without a dimension of q they serve all of "
      "it";
  if (has_dim(q.dims(), memory.name))
    refuse(call, "q", fmt::format("queries without `{}`", memory.name.text()),
           "rename the places of keys and values: rename(x, length -> memory)");
  const Dims batch = remaining(q.dims(), {length, features});
  const Dims of_k = remaining(k.dims(), {memory, features});
  if (!has_dim(k.dims(), features.name) || !is_subset(of_k, batch))
    refuse(call, "k",
           fmt::format("keys with `{}`, `{}`, and dimensions of {}", memory.name.text(), features.name.text(),
                       to_string(batch)),
           others);
  const Dims own = remaining(remaining(v.dims(), of_k), {memory});
  if (own.size() != 1 || v.dims().size() != of_k.size() + 2 || has_dim(batch, own[0].name) ||
      own[0].name == length.name)
    refuse(call, "v",
           fmt::format("values with {}, `{}`, and one dimension of their own, such as `{}`", to_string(of_k),
                       memory.name.text(), features.name.text()),
           others);
  Dims of_scores = batch;
  of_scores.push_back(length);
  of_scores.push_back(memory);
  for (std::string_view argument : {"bias", "mask"})
    if (call.argument(argument).given && !is_subset(call.tensor(argument).dims(), of_scores))
      refuse(call, argument, fmt::format("dimensions of the scores, {}", to_string(of_scores)), "");
  return own[0];
}

void check_numbers(const Call& call) {
  const Argument& window = call.argument("window");
  if (window.given && !window.unknown && window.number < 1)
    fail(
        Diagnostic(Kind::bad_value, window.span, fmt::format("expected a window of 1 or more, found {}", window.number))
            .help("a window of 1 sees its own position alone"));
  const Argument& rate = call.argument("rate");
  if (rate.given && !rate.unknown && !(rate.number >= 0 && rate.number <= 1))
    fail(Kind::bad_value, rate.span, "expected the part of the weights to drop, from 0 to 1, found {}", rate.number);
}

/// True if weights are dropped. A rate of 0 needs no random call.
bool drops(const Call& call) {
  const Argument& rate = call.argument("rate");
  return rate.given && (rate.unknown || rate.number > 0);
}

/// True if there is an offset other than 0. Without one, the positions that a block's queries see are known before the
/// run.
bool stands_behind(const Call& call) {
  const Argument& offset = call.argument("offset");
  return offset.given && (offset.unknown || offset.number != 0);
}

/// Returns the two operands of a comparison of i32 for equality, each without its broadcast, in the names that renames
/// give its dims afterwards. Returns nothing if the mask is none, or if it is in memory already.
graph::Values compared_rows(Builder& b, const graph::Value& mask) {
  const graph::Node& node = *mask.node;
  if (node.is_computed(0)) return {};
  if (node.operation->op == &kRename) {
    const graph::Value& inner = node.operands()[0];
    graph::Values rows = compared_rows(b, inner);
    for (graph::Value& row : rows) {
      Dims dims = row.dims();
      for (Dim& dim : dims) dim = mask.dims()[static_cast<size_t>(find_dim(inner.dims(), dim.name))];
      if (dims != row.dims()) row = b.rename(row, dims);
    }
    return rows;
  }
  if (node.operation->op != &kEq) return {};
  graph::Values rows;
  for (graph::Value row : node.operands()) {
    if (row.node->operation->op == &kBroadcast && row.node->operands().size() == 1) row = row.node->operands()[0];
    if (row.element() != ElementType::kI32) return {};
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Returns the segments of the queries and of the memory, if the mask compares them. Else returns nothing.
graph::Values segments_of(Builder& b, const graph::Value& mask, const Dim& length, const Dim& memory) {
  graph::Values rows = compared_rows(b, mask);
  if (rows.size() == 2 && has_dim(rows[0].dims(), memory.name)) std::swap(rows[0], rows[1]);
  const bool are_segments = rows.size() == 2 && !has_dim(rows[0].dims(), memory.name) &&
                            has_dim(rows[1].dims(), memory.name) && has_dim(rows[0].dims(), length.name) &&
                            !has_dim(rows[1].dims(), length.name);
  return are_segments ? rows : graph::Values();
}

graph::Values build_attention(Call& call) {
  Builder& b = call.builder;
  check_sizes(call, tensor_arguments(call));
  const Dim length = dim_of_argument(call, "along", "q"), features = dim_of_argument(call, "features", "q"),
            memory = dim_of_argument(call, "over", "k");
  if (length.name == features.name)
    fail(Kind::dim_twice, call.span_of("features"), "`along` and `features` are both `{}`", length.name.text());
  dim_of_argument(call, "over", "v");
  const Dim values = check_dims(call, length, memory, features);
  check_numbers(call);
  const bool masked = call.argument("mask").given, biased = call.argument("bias").given;
  if (masked) check_element(call, "mask", ElementType::kBool, "compare it: mask != 0");
  const ElementType element =
      used_element(b, real_element(common_element(b, {call.tensor("q"), call.tensor("k"), call.tensor("v")})));
  graph::Values operands{as_element(b, call.tensor("q"), element, call.span)};
  // bf16 keys and values stay bf16 if products would round them to bf16 anyway.
  const bool rounds = multiplied_element(b, element) != element;
  for (const char* const name : {"k", "v"}) {
    const graph::Value& operand = call.tensor(name);
    const bool stays = rounds && operand.element() == ElementType::kBf16;
    operands.push_back(stays ? operand : as_element(b, operand, element, call.span));
  }
  if (biased) operands.push_back(as_element(b, call.tensor("bias"), row_element(element), call.span));
  const graph::Values segments = masked ? segments_of(b, call.tensor("mask"), length, memory) : graph::Values();
  if (!segments.empty()) operands.insert(operands.end(), segments.begin(), segments.end());
  else if (masked) operands.push_back(call.tensor("mask"));
  const bool windowed = call.argument("window").given, causal = call.flag("causal", false);
  const bool behind = (causal || windowed) && stands_behind(call);
  if (behind) operands.push_back(b.number(call.argument("offset").number, ElementType::kF64));
  const bool dropped = drops(call);
  if (dropped)
    for (const double number :
         {b.context.seed, static_cast<double>(b.context.random_calls++), call.argument("rate").number})
      operands.push_back(b.number(number, ElementType::kF64));

  const bool bf16_product = b.context.precision == graph::Precision::kBf16 || element == ElementType::kBf16;
  const AttentionAttributes attributes{.over = memory.name,
                                       .along = length.name,
                                       .features = features.name,
                                       .values = values.name,
                                       .causal = causal,
                                       .windowed = windowed,
                                       .bias = biased,
                                       .mask = masked && segments.empty(),
                                       .segments = !segments.empty(),
                                       .offset = behind,
                                       .drops = dropped,
                                       .bf16_product = bf16_product,
                                       .mirrored = false};
  const double scale = call.number("scale", 1 / std::sqrt(static_cast<double>(features.size)));
  return {b.add_node(call.op, std::move(operands), attributes, {scale, call.number("window", 0)})[0]};
}

Dims out_dims(const graph::Operation& operation) {
  Dims dims = operation.operands[0].dims;
  const AttentionParts parts(operation);
  dims[parts.features_position] = parts.value;
  return dims;
}

Dims row_dims(const graph::Operation& operation) {
  return remaining(operation.operands[0].dims, {AttentionParts(operation).feature});
}

std::vector<TensorType> infer_attention(const graph::Operation& operation) {
  const ElementType element = operation.operands[0].element;
  return {{element, out_dims(operation)}, {row_element(element), row_dims(operation)}};
}

std::vector<TensorType> infer_gradient(const graph::Operation& operation) {
  return {operation.operands[0], operation.operands[1], operation.operands[2]};
}

/// The memory dim, and the dim that is counted instead. Tiles outside the window are skipped, so they are not counted.
/// For causal attention without a window all positions are counted, as is usual.
std::optional<std::pair<Dim, Dim>> counted_memory(const graph::Operation& operation) {
  const AttentionParts parts(operation);
  if (!parts.windowed) return std::nullopt;
  const int64_t positions = counted_positions(parts, operation.inputs[1], parts.memory.size);
  return std::pair(parts.memory, positions == parts.memory.size ? parts.memory : Dim{"window", positions});
}

/// The part of the counted positions that queries see. Without an offset, query i of causal attention sees i + 1
/// positions, or what its window has.
double computed_part(const graph::Operation& operation) {
  const AttentionParts parts(operation);
  const int64_t queries = parts.length.size, memory = parts.memory.size;
  if (!parts.causal || parts.offset || queries > memory) return 1;
  const int64_t window = parts.windowed ? counted_positions(parts, operation.inputs[1], memory) : memory;
  const auto n = static_cast<double>(queries), first = static_cast<double>(std::min(window, queries));
  const double seen = first * (first + 1) / 2 + (n - first) * first;
  return seen / (n * static_cast<double>(window));
}

/// The memory positions that the queries can see through the window, if the memory begins at the first query.
graph::AccessMap reach_of(const graph::Operation& operation, const AttentionParts& parts) {
  const int64_t all = parts.length.size + parts.memory.size;
  const int64_t window = std::min(all, static_cast<int64_t>(std::min(operation.inputs[1], 0x1p40)));
  return {.offset = 1 - window,
          .window = parts.causal ? window : 2 * window - 1,
          .from = parts.length.size,
          .to = parts.memory.size};
}

/// Queries are independent blocks. If features or values are sharded, attention is expanded. If the memory is sharded,
/// it is expanded too, unless a window follows the queries. In the gradient, d_k and d_v are summed over the dims that
/// k and v lack.
graph::IterationSpace attention_space(const graph::Operation& operation) {
  const AttentionParts parts(operation);
  const bool backward = operation.results.size() == 3;
  const size_t given = parts.operands();
  // A dim by name in operands and results. Features are in q and k; values are in v and in operands that have its dim.
  const auto entry = [&](const Dim& dim, bool of_values) {
    graph::IterationDim made;
    for (size_t k = 0; k < operation.operands.size(); ++k) {
      const bool has_values = k == 2 || k == given + 2;
      const bool counts = dim.name == parts.values && of_values ? has_values
                          : dim.name == parts.features          ? k < 2
                                                                : true;
      made.operands.push_back(counts ? static_cast<int8_t>(find_dim(operation.operands[k].dims, dim.name))
                                     : int8_t{-1});
    }
    for (size_t r = 0; r < operation.results.size(); ++r) {
      const bool has_values = backward ? r == 2 : r == 0;
      const bool counts = dim.name == parts.values && of_values ? has_values
                          : dim.name == parts.features          ? backward && r < 2
                                                                : true;
      made.results.push_back(counts ? static_cast<int8_t>(find_dim(operation.results[r].dims, dim.name)) : int8_t{-1});
    }
    return made;
  };
  graph::IterationSpace space;
  // The expansion knows no mirrored queries.
  const graph::SplitKind gathered = parts.mirrored ? graph::SplitKind::kWhole : graph::SplitKind::kExpand;
  for (const Dim& dim : operation.operands[0].dims) {
    graph::IterationDim made = entry(dim, false);
    if (dim.name == parts.features) made.kind = gathered;
    else if (backward && made.operands[1] < 0) made.kind = graph::SplitKind::kReduce;
    space.dims.push_back(std::move(made));
  }
  for (const auto& [dim, of_values] : {std::pair(parts.memory, false), std::pair(parts.value, true)}) {
    graph::IterationDim made = entry(dim, of_values);
    made.kind = gathered;
    if (!of_values && parts.windowed && !parts.offset) {
      made.follows = static_cast<int8_t>(parts.length_position);
      made.reach = reach_of(operation, parts);
    }
    space.dims.push_back(std::move(made));
  }
  return space;
}

/// With p the weights, the gradient of the scores is p (d_out v - delta). Here delta is the sum of d_out · out along
/// the values. If log_sum has a gradient too, as in a second derivative, p d_log_sum is added.
graph::Values attention_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  graph::Values gradients(call.operands.size());
  const graph::Value& log_sum = call.results[1];
  const graph::Value d = call.d_results[0] ? call.d_results[0] : b.zeros(operation.results[0]);
  const ElementType element = log_sum.element();
  graph::Value delta =
      b.sum_to(b.map(kZeroTimes, b.cast(d, element), b.cast(call.results[0], element)), log_sum.dims());
  if (call.d_results[1]) delta = b.map(kSub, delta, call.d_results[1]);
  if (call.wants(0) || call.wants(1) || call.wants(2)) {
    graph::Values operands = call.operands;
    for (const size_t k : {1, 2}) operands[k] = b.cast(operands[k], operands[0].element());  // partial sums are f32
    for (const graph::Value& more :
         {log_sum, b.broadcast(delta, log_sum.dims()), b.broadcast(d, operation.results[0].dims)})
      operands.push_back(more);
    const graph::Values slopes =
        b.add_node(kAttentionGradient, std::move(operands), operation.attributes, operation.inputs);
    for (size_t k = 0; k < slopes.size(); ++k) gradients[k] = b.cast(slopes[k], call.operands[k].element());
  }
  const AttentionParts parts(operation);
  if (parts.bias && call.wants(3))
    gradients[3] = sum_to_operand(b, score_gradient(b, operation, call.operands, log_sum, delta, d), call.operands[3]);
  return gradients;
}

/// 1 where a query sees a position of the memory, else 0.
void attention_mask_kernel(graph::KernelCall& call) {
  const kernels::Block& mask = call.results[0];
  const int64_t offset = call.operands.empty() ? 0 : static_cast<int64_t>(*call.operands[0].as<double>());
  const auto window = static_cast<int64_t>(call.inputs[0]);
  const auto& [dims, causal, windowed] = call.operation.attributes.get<SightAttributes>();
  const kernels::BlockDim &rows = mask.dims[0], &columns = mask.dims[1];
  for (int64_t i = 0; i < rows.size; ++i)
    for (int64_t j = 0; j < columns.size; ++j) {
      const int64_t away = offset + rows.first + i - columns.first - j;
      mask.as<uint8_t>()[i * rows.stride + j * columns.stride] =
          (!causal || away >= 0) && (!windowed || (away < window && -away < window));
    }
}

/// The index of the operand that holds the number of the random call of dropout, or -1.
int position_of_call(const graph::Operation& operation) {
  const AttentionParts parts(operation);
  return parts.drops ? static_cast<int>(parts.first_of_drop()) + 1 : -1;
}

}  // namespace

double part_of_last_block(const graph::Operation& operation, int64_t blocks) {
  const AttentionParts parts(operation);
  if (!parts.is_uneven()) return computed_part(operation);
  const auto n = static_cast<double>(parts.length.size);
  return n * (1 - 0.5 / static_cast<double>(blocks)) / static_cast<double>(parts.memory.size);
}

constexpr graph::Op kAttention = complete({
    .name = "attention",
    .signature =
        "attention(q: tensor, k: tensor, v: tensor, over: dim, along: dim, features: dim, causal: bool = false, "
        "window: int = all, "
        "offset: int = 0, scale: number = 1 / sqrt(features), bias: tensor = 0, mask: tensor = true, rate: number = 0)",
    .family = kNeuralNetworks,
    .doc =
        "Mixes the values v by what the queries q have in common with the keys k: softmax(scale · q "
        "k + bias) v. `over` is the dimension of the places in k and v (the memory), and `along` "
        "that of the queries. A query and a key share `features`. The result has the dimensions of "
        "q, with v's own in place of `features`. Other dimensions of k and v are dimensions of q; "
        "one of q that both lack shares them (multi-query and grouped heads). Query i stands at "
        "position `offset` + i of the memory, behind a cache of so many places; `causal` lets it see "
        "no later position, `window` only positions fewer than that away, `mask` (bool) where it is "
        "true (one that compares two rows of i32 is never stored, as nn.segment_mask); `bias` is "
        "added to the scores. A query that sees nothing gives zeros. `rate` drops weights as "
        "`dropout` drops elements, of [the dimensions of q without `features`, the memory]; with one "
        "above 0 it counts as one random operation. The scores are never in memory: they are "
        "computed in tiles, again for the gradient, and tiles that nothing sees are skipped. Of bf16 "
        "the scaled q and the weights are rounded to bf16 where they are multiplied; sums and the "
        "softmax are f32. Counted is for each query the whole memory, seen or not, or what its "
        "window has. Where `over` is split, keys and values are gathered. If that moves and holds "
        "more than the scores of each part of the memory, these are stored, and each part is "
        "counted. Where `over` and `along` are split alike, with a `window` and no `offset`, only "
        "what blocks see of each other is fetched. Where `along` is split and attention is `causal`, without `window` "
        "and `offset`, each processor computes an early and a late part of the queries, so that none waits: it sends "
        "half of its block to the opposite processor. 128 positions must divide each block. The gradient of a gradient "
        "does need the scores.",
    .example = "dim length = 3, memory = 3, d = 2\n"
               "let q = tensor([[4, 0], [0, 4], [4, 4]], [length, d])\n"
               "let k = tensor([[1, 0], [0, 1], [0, 0]], [memory, d])\n"
               "let v = tensor([[1, 2], [3, 4], [5, 6]], [memory, d])\n"
               "print(attention(q, k, v, over: memory, along: length, features: d, causal: true, scale: 1))\n"
               "#> [[1, 2], [2.96403, 3.96403], [2.02722, 3.02722]]\n",
    .samples =
        "q: [a, b, c], k: [a, d, c], v: [a, d, c] => attention(q, k, v, over: d, along: b, features: c)\n"
        "q: [b, a, c], k: [d, c], v: [c, d] => attention(q, k, v, over: d, along: b, features: c, causal: true)\n"
        "q: [b, c], k: [d, c], v: [d, a], s: [d, b] => attention(q, k, v, over: d, along: b, features: c, window: 2, "
        "offset: 1, bias: s)\n"
        "q: [a, b, c], k: [c, d, a], v: [a, d, c], s: [a], m: bool[b, d] => "
        "attention(q, k, v, over: d, along: b, features: c, causal: true, offset: 2, scale: 0.5, bias: s, mask: m)\n"
        "q: [b, a, c], k: [d, c], v: [d, c] => attention(q, k, v, over: d, along: b, features: c, causal: true, "
        "window: 2)\n"
        "q: [a, b, c], k: [a, d, c], v: [c, a, d], s: [d, b], m: bool[a, d] => "
        "attention(q, k, v, over: d, along: b, features: c, window: 3, bias: s, mask: m, rate: 0.25)\n"
        "q: bf16[a, b, c], k: bf16[d, c], v: bf16[d, c] => attention(q, k, v, over: d, along: b, features: c)\n"
        "q: [a, b, c], k: [d, c], v: [d, c], s: [a, d] => attention(q, k, v, over: d, along: b, features: c, bias: s, "
        "rate: 0.5)\n"
        "q: [b, c, a], k: [d, a, c], v: [a, d, c] => attention(q, k, v, over: d, along: b, features: c, causal: true, "
        "rate: 0.25)\n"
        "q: [a, b, c], k: [a, d, c], v: [a, d, c], m: bool[b, d, a] => attention(q, k, v, over: d, along: b, "
        "features: c, mask: m)\n"
        "q: [a, b, c], k: [a, d, c], v: [a, d, c], i: i32[a, b] in 0..2, j: i32[a, d] in 0..2 => attention(q, k, v, "
        "over: d, "
        "along: b, features: c, causal: true, mask: eq(i, j -> [a, b, d]))\n"
        "q: [a, b, c], k: [d, c], v: [d, c], s: [d, a, b] => attention(q, k, v, over: d, along: b, features: c, "
        "bias: s, rate: 0.25)",
    .build = build_attention,
    .attributes = &graph::kFormOf<AttentionAttributes>,
    .infer = infer_attention,
    .space = attention_space,
    .kernel = attention_kernel,
    .expand = expand_attention,
    .work = graph::Work::kExpansion,
    .counted = counted_memory,
    .computed = computed_part,
    .gradient = attention_gradient,
    .random_call_operand = position_of_call,
    .saved_results = 1,
});

constexpr graph::Op kAttentionGradient = complete({
    .name = "attention_gradient",
    .family = kNeuralNetworks,
    .doc = "The gradients of attention's q, k and v: its tiles are computed again, from the logarithms of their rows' "
           "sums.",
    .attributes = &graph::kFormOf<AttentionAttributes>,
    .infer = infer_gradient,
    .space = attention_space,
    .kernel = attention_gradient_kernel,
    .expand = expand_attention_gradient,
    .work = graph::Work::kExpansion,
    .counted = counted_memory,
    .computed = computed_part,
    .gradient = gradient_of_expansion,
    .random_call_operand = position_of_call,
});

constexpr graph::Op kAttentionMask = complete({
    .name = "attention_mask",
    .family = kNeuralNetworks,
    .doc = "What attention's queries see of the memory by their positions, where its memory is split.",
    .attributes = &graph::kFormOf<SightAttributes>,
    .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
      return {{ElementType::kBool, operation.attributes.get<SightAttributes>().result}};
    },
    .space = elementwise_space,
    .kernel = attention_mask_kernel,
    .no_gradient = "it depends on no tensor",
});

constexpr graph::Op kAttentionKept = complete({
    .name = "attention_kept",
    .family = kNeuralNetworks,
    .doc = "What attention's weights are multiplied by where some are dropped, and its memory is split.",
    .attributes = &graph::kFormOf<TypeAttributes>,
    .infer = infer_type,
    .space = elementwise_space,
    .kernel = attention_kept_kernel,
    .no_gradient = "random numbers depend on the seed, the number of the call and the place alone",
    .random_call_operand = [](const graph::Operation&) { return 1; },
});

}  // namespace mtf::ops
