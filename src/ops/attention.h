#pragma once
// The operands of attention, shared by its three source files, and the correspondence of their dims.
//
// clang-format off
//   operation           operands                                                            results
//   attention           q, k, v, [bias], [mask], [segments], [offset], [drop]               out, log_sum
//   attention_gradient  the operands of attention, log_sum, delta, d_out                    d_q, d_k, d_v
//   attention_mask      [offset]                                    1 where a query sees a memory position
//   attention_kept      [drop]                                      1 / (1 - rate), or 0 where a weight is dropped
// clang-format on
//
// `inputs` of attention and its gradient holds the scale and the window. That of attention_mask holds the window.
//
// [segments] stands for a mask that compares two rows of i32: the segment of each query, and of each memory position. A
// query sees the positions of its own segment. The comparison is never stored: each tile makes its part of it.
//
// [offset] is a number: the position of the first query. [drop] is three numbers: the seed, the number of the random
// call, and the rate. They are operands, not inputs. Thus a decoding step with another offset or other dropped weights
// reuses the plan of the previous step, also if attention is expanded. A weight is dropped if random.uniform is less
// than the rate. The dims of this random.uniform are the dims of the scores: those of q without features, then memory.
//
// q has features, k has memory and features, v has memory and values (values and features may be the same dim). All
// other dims of k and v are dims of q. out has values in the position of features in q. log_sum and delta lack that
// dim.
#include "ops/record.h"

namespace mtf::ops {

// Attention is one operation, not a composition of smaller ones, so that its scores are never stored as a whole. It
// counts the flops of its expansion in any case (Work::kExpansion).

/// Of attention and attention_gradient.
struct AttentionAttributes {
  Name over;      ///< the memory dim of k and v
  Name along;     ///< the length dim of q
  Name features;  ///< in q and k
  Name values;    ///< in v
  bool causal = false, windowed = false;
  bool bias = false, mask = false, segments = false, offset = false, drops = false;  ///< true if the operand is present
  bool bf16_product = false;
  static constexpr auto members() {
    using A = AttentionAttributes;
    return std::array{graph::member<&A::over>("over"),         graph::member<&A::along>("along"),
                      graph::member<&A::features>("features"), graph::member<&A::values>("values"),
                      graph::member<&A::causal>("causal"),     graph::member<&A::windowed>("windowed"),
                      graph::member<&A::bias>("bias"),         graph::member<&A::mask>("mask"),
                      graph::member<&A::segments>("segments"), graph::member<&A::offset>("offset"),
                      graph::member<&A::drops>("drops"),       graph::member<&A::bf16_product>("bf16_product")};
  }
};

/// The attributes of attention_mask: which positions of the memory a query sees.
struct SightAttributes {
  Dims result;  ///< length and memory
  bool causal = false, windowed = false;
  static constexpr auto members() {
    return std::array{graph::member<&SightAttributes::causal>("causal"),
                      graph::member<&SightAttributes::windowed>("windowed"),
                      graph::member<&SightAttributes::result>("->")};
  }
};

/// The attributes of attention or its gradient, with the dims that they name.
struct AttentionParts : AttentionAttributes {
  explicit AttentionParts(const graph::Operation& operation)
      : AttentionAttributes(operation.attributes.get<AttentionAttributes>()),
        length_position(find_dim(operation.operands[0].dims, along)),
        features_position(find_dim(operation.operands[0].dims, features)),
        length(operation.operands[0].dims[length_position]),
        memory(operation.operands[1].dims[find_dim(operation.operands[1].dims, over)]),
        feature(operation.operands[0].dims[features_position]),
        value(operation.operands[2].dims[find_dim(operation.operands[2].dims, values)]) {}
  bool by_position() const { return causal || windowed; }
  /// The number of operands before those that only the gradient has.
  size_t operands() const { return first_of_drop() + (drops ? 3 : 0); }
  size_t position_of_mask() const { return 3 + (bias ? 1 : 0); }  ///< or of the segments, of which there are two
  size_t position_of_offset() const { return position_of_mask() + (mask ? 1 : 0) + (segments ? 2 : 0); }
  size_t first_of_drop() const { return position_of_offset() + (offset ? 1 : 0); }

  int length_position, features_position;  ///< in q
  Dim length, memory, feature, value;      ///< with the sizes of the operands
};

/// The number of memory positions that are counted for each query, out of `memory`. Less than all if there is a window.
int64_t counted_positions(const AttentionParts& parts, double window, int64_t memory);

/// Builds attention from smaller operations, which store their results. Used if memory, features or values are sharded.
graph::Values expand_attention(graph::ExpandCall& call);
graph::Values expand_attention_gradient(graph::ExpandCall& call);
/// The gradient of the scores, as a graph: [.., length, memory].
graph::Value score_gradient(Builder& b, const graph::Operation& operation, const graph::Values& operands,
                            const graph::Value& log_sum, const graph::Value& delta, const graph::Value& d_out);

void attention_kernel(graph::KernelCall& call);
void attention_kept_kernel(graph::KernelCall& call);
void attention_gradient_kernel(graph::KernelCall& call);

}  // namespace mtf::ops
