// The operations that attention stands for.
#include "kernels/attention.h"
#include "ops/attention.h"
#include "ops/contract.h"
#include "ops/softmax.h"

namespace mtf {
namespace {

/// What is multiplied, in the type in which it is: bf16 is widened.
struct Factors {
  Value q, k, v;  ///< q is scaled
  Value scores;   ///< what is not seen is kUnseen
  Value kept;     ///< what weights are multiplied by; null where none are dropped
  Dims rows;      ///< of scores, without the memory
};

Value product(Builder& b, const AttentionParts& parts, const Value& x, const Value& y, const Dims& result) {
  return b.add(ops::kEinsum, {x, y}, EinsumAttributes{parts.bf16_product ? Product::kAsBf16 : Product::kPlain, names_of(result)});
}

Factors factors_of(Builder& b, const Operation& operation, const Values& operands) {
  const AttentionParts parts(operation);
  const ElementType element = row_element(operands[0].element());
  Factors made;
  made.q = b.map(ops::kMul, b.cast(operands[0], element), operation.inputs[0]);
  made.k = b.cast(operands[1], element);
  made.v = b.cast(operands[2], element);
  made.rows = remaining(operands[0].dims(), {parts.feature});
  Dims dims = made.rows;
  dims.push_back(parts.memory);
  made.scores = product(b, parts, made.q, made.k, dims);
  if (parts.bias) made.scores = b.map(ops::kAdd, made.scores, operands[3]);
  const auto hide = [&](const Value& seen) { made.scores = b.where(seen, made.scores, b.number(kUnseen, element)); };
  if (parts.mask) hide(operands[parts.bias ? 4 : 3]);
  if (parts.by_position()) {
    const auto offset = operands.begin() + static_cast<std::ptrdiff_t>(parts.place_of_offset());
    hide(b.split_like(b.add(ops::kAttentionMask, {offset, offset + (parts.offset ? 1 : 0)}, SightAttributes{{parts.length, parts.memory}, parts.causal, parts.windowed},
                            {operation.inputs[1]}),
                      made.scores));
  }
  if (parts.drops) {
    const auto drop = operands.begin() + static_cast<std::ptrdiff_t>(parts.first_of_drop());
    made.kept = b.split_like(b.add(ops::kAttentionKept, {drop, drop + 3}, TypeAttributes{{element, dims}}), made.scores);
  }
  return made;
}

Value dropped(Builder& b, const Value& weights, const Value& kept) { return kept ? b.map(ops::kMul, weights, kept) : weights; }

struct Slopes {
  Value weights, scores;  ///< exp(scores - log_sum), some dropped; the gradient of the scores
};

Slopes slopes_of(Builder& b, const AttentionParts& parts, const Factors& factors, const Value& log_sum, const Value& delta, const Value& d_out) {
  const Value weights = b.map(ops::kExp, b.map(ops::kSub, factors.scores, log_sum));
  const Value d_weights = dropped(b, product(b, parts, b.cast(d_out, weights.element()), factors.v, factors.scores.dims()), factors.kept);
  return {dropped(b, weights, factors.kept), b.map(ops::kMul, weights, b.map(ops::kSub, d_weights, delta))};
}

}  // namespace

Values expand_attention(ExpandCall& call) {
  Builder& b = call.builder;
  const AttentionParts parts(call.operation);
  const TensorType& out = call.operation.results[0];
  const Factors factors = factors_of(b, call.operation, call.operands);
  const Value max = b.map(ops::kMaximum, b.reduce(ops::kMax, factors.scores, factors.rows), kLeastMaximum);
  const Value weights = b.map(ops::kExp, b.map(ops::kSub, factors.scores, max));
  const Value sum = b.map(ops::kMaximum, b.sum_to(weights, factors.rows), kLeastSum);
  const Value mixed = b.map(ops::kDiv, product(b, parts, dropped(b, weights, factors.kept), factors.v, out.dims), sum);
  return {b.cast(mixed, out.element), b.map(ops::kAdd, b.map(ops::kLog, sum), max)};
}

Values expand_attention_gradient(ExpandCall& call) {
  Builder& b = call.builder;
  const Operation& operation = call.operation;
  const AttentionParts parts(operation);
  const Factors factors = factors_of(b, operation, call.operands);
  const size_t more = parts.operands();
  const Value d_out = b.cast(call.operands[more + 2], factors.q.element());
  const Slopes slopes = slopes_of(b, parts, factors, call.operands[more], call.operands[more + 1], d_out);
  const Value d_q = b.map(ops::kMul, product(b, parts, slopes.scores, factors.k, operation.results[0].dims), operation.inputs[0]);
  const Value d_k = product(b, parts, slopes.scores, factors.q, operation.results[1].dims);
  const Value d_v = product(b, parts, slopes.weights, d_out, operation.results[2].dims);
  return {b.cast(d_q, operation.results[0].element), b.cast(d_k, operation.results[1].element), b.cast(d_v, operation.results[2].element)};
}

Value score_gradient(Builder& b, const Operation& operation, const Values& operands, const Value& log_sum, const Value& delta, const Value& d_out) {
  return slopes_of(b, AttentionParts(operation), factors_of(b, operation, operands), log_sum, delta, d_out).scores;
}

}  // namespace mtf
