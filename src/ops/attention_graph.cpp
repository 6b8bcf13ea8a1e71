// The expansion of attention into smaller operations.
#include <limits>

#include "kernels/attention.h"
#include "ops/attention.h"
#include "ops/contract.h"
#include "ops/interval.h"
#include "ops/softmax.h"

namespace mtf::ops {
namespace {

/// The operands of the products, in the type that is multiplied: bf16 is widened.
struct Factors {
  graph::Value q, k, v;  ///< q is scaled
  graph::Value scores;   ///< kUnseen where a query does not see the position
  graph::Value kept;     ///< factors of the weights; null if none are dropped
  Dims rows;             ///< the dims of scores without the memory
};

graph::Value product(Builder& b, const AttentionParts& parts, const graph::Value& x, const graph::Value& y,
                     const Dims& result) {
  return b.add(kEinsum, {x, y},
               EinsumAttributes{parts.bf16_product ? Product::kAsBf16 : Product::kPlain, names_of(result)});
}

/// The same product, but terms with a factor of 0 add nothing: positions that no query sees may hold NaN or infinity.
graph::Value product_of_nonzeros(Builder& b, const AttentionParts& parts, const graph::Value& x, const graph::Value& y,
                                 const Dims& result) {
  return b.add(kEinsum, {x, y},
               EinsumAttributes{parts.bf16_product ? Product::kAsBf16 : Product::kPlain, names_of(result), true});
}

/// The least finite number of a type.
double least(ElementType element) {
  return element == ElementType::kF64 ? std::numeric_limits<double>::lowest() : std::numeric_limits<float>::lowest();
}

Factors factors_of(Builder& b, const graph::Operation& operation, const graph::Values& operands) {
  const AttentionParts parts(operation);
  const ElementType element = row_element(operands[0].element());
  Factors made;
  made.q = b.map(kMul, b.cast(operands[0], element), operation.inputs[0]);
  made.k = b.cast(operands[1], element);
  made.v = b.cast(operands[2], element);
  made.rows = remaining(operands[0].dims(), {parts.feature});
  Dims dims = made.rows;
  dims.push_back(parts.memory);
  made.scores = product(b, parts, made.q, made.k, dims);
  if (parts.bias) made.scores = b.map(kAdd, made.scores, operands[3]);
  const auto hide = [&](const graph::Value& seen) {
    made.scores = b.where(seen, made.scores, b.number(kernels::kUnseen, element));
  };
  const size_t mask = parts.position_of_mask();
  if (parts.mask) hide(operands[mask]);
  if (parts.segments) hide(b.map(kEq, operands[mask], operands[mask + 1]));
  if (parts.by_position()) {
    const auto offset = operands.begin() + static_cast<std::ptrdiff_t>(parts.position_of_offset());
    hide(b.split_like(
        b.add(kAttentionMask, {offset, offset + (parts.offset ? 1 : 0)},
              SightAttributes{{parts.length, parts.memory}, parts.causal, parts.windowed}, {operation.inputs[1]}),
        made.scores));
  }
  if (parts.drops) {
    const auto drop = operands.begin() + static_cast<std::ptrdiff_t>(parts.first_of_drop());
    made.kept = b.split_like(b.add(kAttentionKept, {drop, drop + 3}, TypeAttributes{{element, dims}}), made.scores);
  }
  return made;
}

graph::Value dropped(Builder& b, const graph::Value& weights, const graph::Value& kept) {
  return kept ? b.map(kMul, weights, kept) : weights;
}

struct Slopes {
  graph::Value weights, scores;  ///< exp(scores - log_sum), some dropped; gradient of the scores
};

Slopes slopes_of(Builder& b, const AttentionParts& parts, const Factors& factors, const graph::Value& log_sum,
                 const graph::Value& delta, const graph::Value& d_out) {
  const graph::Value weights = b.map(kExp, b.map(kSub, factors.scores, log_sum));
  const graph::Value d_weights =
      dropped(b, product_of_nonzeros(b, parts, b.cast(d_out, weights.element()), factors.v, factors.scores.dims()),
              factors.kept);
  return {dropped(b, weights, factors.kept), b.map(kZeroProduct, weights, b.map(kSub, d_weights, delta))};
}

/// Returns x with the chunks of `dim` in the order of Mirrors, which is the way back too. There are two chunks
/// in each of `blocks` blocks.
graph::Value mirror(Builder& b, const graph::Value& x, const Dim& dim, int64_t blocks) {
  const int at = find_dim(x.dims(), dim.name);
  if (at < 0) return x;
  const Dim block{dim.name.followed_by(".blocks"), blocks}, half{dim.name.followed_by(".halves"), 2};
  Dims dims = x.dims();
  dims[at].size /= 2 * blocks;
  dims.insert(dims.begin() + at, {block, half});
  const graph::Value chunks = b.reshape(x, dims);
  const graph::Value late = b.add(kReverse, {b.slice(chunks, at + 1, 1, 1)}, ReverseAttributes{{block.name}});
  return b.reshape(b.add(kConcat, {b.slice(chunks, at + 1, 0, 1), late}, OverAttributes{half.name}), x.dims());
}

}  // namespace

Mirrors mirrors_of(const graph::Operation& operation) {
  const auto chunks = static_cast<int64_t>(operation.inputs[2]);
  return {AttentionParts(operation).length.size / chunks, chunks};
}

graph::Values balance_attention(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const AttentionParts parts(operation);
  if (parts.length.size % (2 * call.blocks * kernels::Attention::kQueries) != 0) return {};
  graph::Values operands;
  for (const graph::Value& operand : call.operands) operands.push_back(mirror(b, operand, parts.length, call.blocks));
  AttentionAttributes attributes = parts;
  attributes.mirrored = true;
  attributes.windowed = false;  // the window has all positions
  graph::Values results =
      b.add_node(*operation.op, std::move(operands), attributes,
                 {operation.inputs[0], operation.inputs[1], 2.0 * static_cast<double>(call.blocks)});
  for (graph::Value& result : results) result = mirror(b, result, parts.length, call.blocks);
  return results;
}

graph::Values expand_attention(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const AttentionParts parts(call.operation);
  const TensorType& out = call.operation.results[0];
  const Factors factors = factors_of(b, call.operation, call.operands);
  const graph::Value max =
      b.map(kMaximum, b.reduce(kMax, factors.scores, factors.rows), least(factors.scores.element()));
  const graph::Value weights = b.map(kExp, b.map(kSub, factors.scores, max));
  const graph::Value sum = b.map(kMaximum, b.sum_to(weights, factors.rows), kernels::kLeastSum);
  const graph::Value mixed =
      b.map(kDiv, product_of_nonzeros(b, parts, dropped(b, weights, factors.kept), factors.v, out.dims), sum);
  return {b.cast(mixed, out.element), b.map(kAdd, b.map(kLog, sum), max)};
}

graph::Values expand_attention_gradient(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const AttentionParts parts(operation);
  const Factors factors = factors_of(b, operation, call.operands);
  const size_t more = parts.operands();
  const graph::Value d_out = b.cast(call.operands[more + 2], factors.q.element());
  const Slopes slopes = slopes_of(b, parts, factors, call.operands[more], call.operands[more + 1], d_out);
  const graph::Value d_q = b.map(
      kMul, product_of_nonzeros(b, parts, slopes.scores, factors.k, operation.results[0].dims), operation.inputs[0]);
  const graph::Value d_k = product_of_nonzeros(b, parts, slopes.scores, factors.q, operation.results[1].dims);
  const graph::Value d_v = product_of_nonzeros(b, parts, slopes.weights, d_out, operation.results[2].dims);
  return {b.cast(d_q, operation.results[0].element), b.cast(d_k, operation.results[1].element),
          b.cast(d_v, operation.results[2].element)};
}

graph::Value score_gradient(Builder& b, const graph::Operation& operation, const graph::Values& operands,
                            const graph::Value& log_sum, const graph::Value& delta, const graph::Value& d_out) {
  return slopes_of(b, AttentionParts(operation), factors_of(b, operation, operands), log_sum, delta, d_out).scores;
}

}  // namespace mtf::ops
