#pragma once
// What the parts of attention share: its operands, and how their dims run together.
//
//   operation           operands                                                  results
//   attention           q, k, v, [bias], [mask], [offset], [drop]                           out, log_sum
//   attention_gradient  q, k, v, [bias], [mask], [offset], [drop], log_sum, delta, d_out    d_q, d_k, d_v
//   attention_mask      [offset]                                                            which places of the memory a query sees
//   attention_kept      [drop]                                                              1 / (1 - rate), or 0 where a weight is dropped
//
//   attribute  attention, attention_gradient                         attention_mask                        attention_kept
//   dims       length, memory, features, values                      length, memory                        those of the scores
//   ints       1 if causal, if there is a window, a bias, a mask,    1 if causal, if there is a window     -
//              an offset, if weights are dropped, if bf16 is
//              multiplied; the places of length and features in q;
//              for each dim of k, v, bias and mask its label
//   inputs     scale, window                                         window                                -
//
// [offset] is a number: the position of the first query. [drop] is three: the seed, the number of the random call, the
// rate. They are operands, not inputs, so that a step that stands elsewhere or drops others has the plan of the step
// before, also where smaller operations stand for attention. A weight is dropped where random.uniform of the scores' dims,
// those of q without features and then the memory, is less than the rate.
//
// The label of a dim is its place in q; the memory has the next number, and the dim of values the one after. q has
// features, k has memory and features, v has memory and values, which may be features again; all other dims of k and v
// are q's. out has values where q has features; log_sum, and delta, lack it.
#include "ops/record.h"

namespace mtf {

/// What the attributes of attention and attention_gradient say.
struct AttentionParts {
  explicit AttentionParts(const Attributes& attributes)
      : causal(attributes.ints[0] != 0), windowed(attributes.ints[1] != 0), bias(attributes.ints[2] != 0), mask(attributes.ints[3] != 0),
        offset(attributes.ints[4] != 0), drops(attributes.ints[5] != 0), bf16_product(attributes.ints[6] != 0), length_place(attributes.ints[7]),
        features_place(attributes.ints[8]), labels(std::span(attributes.ints).subspan(9)), length(attributes.dims[0]), memory(attributes.dims[1]), features(attributes.dims[2]), values(attributes.dims[3]) {}
  bool by_position() const { return causal || windowed; }
  /// Operands before those that only the gradient has.
  size_t operands() const { return first_of_drop() + (drops ? 3 : 0); }
  size_t place_of_offset() const { return 3 + (bias ? 1 : 0) + (mask ? 1 : 0); }
  size_t first_of_drop() const { return place_of_offset() + (offset ? 1 : 0); }

  bool causal, windowed, bias, mask, offset, drops, bf16_product;
  int64_t length_place, features_place;  ///< in q
  std::span<const int64_t> labels;       ///< of each dim of k, v, bias and mask
  Dim length, memory, features, values;
};

/// The places of so long a memory that are counted for each query: those that its window has, if there is one.
int64_t counted_places(const AttentionParts& parts, double window, int64_t memory);

/// The graph of smaller operations, of which each writes what it makes: what stands for attention where memory, features
/// or values are split.
Values expand_attention(ExpandCall& call);
Values expand_attention_gradient(ExpandCall& call);
/// The gradient of the scores, as a graph: [.., length, memory].
Value score_gradient(Builder& b, const Operation& operation, const Values& operands, const Value& log_sum, const Value& delta, const Value& d_out);

void attention_kernel(KernelCall& call);
void attention_kept_kernel(KernelCall& call);
void attention_gradient_kernel(KernelCall& call);

}  // namespace mtf
