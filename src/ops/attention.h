#pragma once
// What the parts of attention share: its operands, and how their dims run together.
//
//   operation           operands                                                  results
//   attention           q, k, v, [bias], [mask], [offset], [drop]                           out, log_sum
//   attention_gradient  q, k, v, [bias], [mask], [offset], [drop], log_sum, delta, d_out    d_q, d_k, d_v
//   attention_mask      [offset]                                                            which places of the memory
//   a query sees attention_kept      [drop]                                                              1 / (1 -
//   rate), or 0 where a weight is dropped
//
// The numbers of attention and its gradient are the scale and the window; that of attention_mask is the window.
//
// [offset] is a number: the position of the first query. [drop] is three: the seed, the number of the random call, the
// rate. They are operands, not inputs, so that a step that stands elsewhere or drops others has the plan of the step
// before, also where smaller operations stand for attention. A weight is dropped where random.uniform of the scores'
// dims, those of q without features and then the memory, is less than the rate.
//
// q has features, k has memory and features, v has memory and values, which may be features again; all other dims of k
// and v are q's. out has values where q has features; log_sum, and delta, lack it.
#include "ops/record.h"

namespace mtf::ops {

// Attention is one operation, not a composition of smaller ones, so that its scores are never stored as a whole.

/// Of attention and attention_gradient.
struct AttentionAttributes {
  Name over;      ///< the memory, of k and v
  Name along;     ///< the length, of q
  Name features;  ///< of q and k
  Name values;    ///< of v
  bool causal = false, windowed = false;
  bool bias = false, mask = false, offset = false, drops = false;  ///< there are such operands
  bool bf16_product = false;
  static constexpr auto members() {
    using A = AttentionAttributes;
    return std::array{graph::member<&A::over>("over"),
                      graph::member<&A::along>("along"),
                      graph::member<&A::features>("features"),
                      graph::member<&A::values>("values"),
                      graph::member<&A::causal>("causal"),
                      graph::member<&A::windowed>("windowed"),
                      graph::member<&A::bias>("bias"),
                      graph::member<&A::mask>("mask"),
                      graph::member<&A::offset>("offset"),
                      graph::member<&A::drops>("drops"),
                      graph::member<&A::bf16_product>("bf16_product")};
  }
};

/// What attention_mask lets queries see by their positions.
struct SightAttributes {
  Dims result;  ///< the length, the memory
  bool causal = false, windowed = false;
  static constexpr auto members() {
    return std::array{graph::member<&SightAttributes::causal>("causal"),
                      graph::member<&SightAttributes::windowed>("windowed"),
                      graph::member<&SightAttributes::result>("->")};
  }
};

/// What an attention or its gradient is made of.
struct AttentionParts : AttentionAttributes {
  explicit AttentionParts(const graph::Operation& operation)
      : AttentionAttributes(operation.attributes.get<AttentionAttributes>()),
        length_place(find_dim(operation.operands[0].dims, along)),
        features_place(find_dim(operation.operands[0].dims, features)),
        length(operation.operands[0].dims[length_place]),
        memory(operation.operands[1].dims[find_dim(operation.operands[1].dims, over)]),
        feature(operation.operands[0].dims[features_place]),
        value(operation.operands[2].dims[find_dim(operation.operands[2].dims, values)]) {}
  bool by_position() const { return causal || windowed; }
  /// Operands before those that only the gradient has.
  size_t operands() const { return first_of_drop() + (drops ? 3 : 0); }
  size_t place_of_offset() const { return 3 + (bias ? 1 : 0) + (mask ? 1 : 0); }
  size_t first_of_drop() const { return place_of_offset() + (offset ? 1 : 0); }

  int length_place, features_place;    ///< in q
  Dim length, memory, feature, value;  ///< those that the attributes name
};

/// The places of so long a memory that are counted for each query: those that its window has, if there is one.
int64_t counted_places(const AttentionParts& parts, double window, int64_t memory);

/// The graph of smaller operations, of which each writes what it makes: what stands for attention where memory,
/// features or values are split.
graph::Values expand_attention(graph::ExpandCall& call);
graph::Values expand_attention_gradient(graph::ExpandCall& call);
/// The gradient of the scores, as a graph: [.., length, memory].
graph::Value score_gradient(Builder& b, const graph::Operation& operation, const graph::Values& operands,
                            const graph::Value& log_sum, const graph::Value& delta, const graph::Value& d_out);

void attention_kernel(graph::KernelCall& call);
void attention_kept_kernel(graph::KernelCall& call);
void attention_gradient_kernel(graph::KernelCall& call);

}  // namespace mtf::ops
