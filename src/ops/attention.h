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
// `inputs` of attention and its gradient holds the scale and the window, and the number of chunks if the queries are
// mirrored. That of attention_mask holds the window.
//
// Each query of causal attention sees more positions than the one before. If the queries are split, the block with the
// last ones computes the most. So attention is replaced by attention with `mirrored` queries (Mirrors), whose
// blocks compute the same: each block sends its later half to the opposite block, and gets its results back.
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
  bool mirrored = false;  ///< the queries are stored in the order of Mirrors
  static constexpr auto members() {
    using A = AttentionAttributes;
    return std::array{graph::member<&A::over>("over"),         graph::member<&A::along>("along"),
                      graph::member<&A::features>("features"), graph::member<&A::values>("values"),
                      graph::member<&A::causal>("causal"),     graph::member<&A::windowed>("windowed"),
                      graph::member<&A::bias>("bias"),         graph::member<&A::mask>("mask"),
                      graph::member<&A::segments>("segments"), graph::member<&A::offset>("offset"),
                      graph::member<&A::drops>("drops"),       graph::member<&A::bf16_product>("bf16_product"),
                      graph::member<&A::mirrored>("mirrored")};
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
        value(operation.operands[2].dims[find_dim(operation.operands[2].dims, values)]),
        window(operation.inputs[1]) {}
  bool by_position() const { return causal || windowed; }
  /// True if later queries see more positions, so that blocks of queries compute different amounts.
  bool is_uneven() const {
    const bool limited = windowed && window < static_cast<double>(memory.size);
    return causal && !limited && !offset && !mirrored && length.size <= memory.size;
  }
  /// The number of operands before those that only the gradient has.
  size_t operands() const { return first_of_drop() + (drops ? 3 : 0); }
  size_t position_of_mask() const { return 3 + (bias ? 1 : 0); }  ///< or of the segments, of which there are two
  size_t position_of_offset() const { return position_of_mask() + (mask ? 1 : 0) + (segments ? 2 : 0); }
  size_t first_of_drop() const { return position_of_offset() + (offset ? 1 : 0); }

  int length_position, features_position;  ///< in q
  Dim length, memory, feature, value;      ///< with the sizes of the operands
  double window;                           ///< positions at a smaller distance are seen, if `windowed`
};

/// The number of memory positions that are counted for each query, out of `memory`. Less than all if there is a window.
int64_t counted_positions(const AttentionParts& parts, double window, int64_t memory);

/// Builds attention from smaller operations, which store their results. Used if memory, features or values are sharded.
graph::Values expand_attention(graph::ExpandCall& call);
graph::Values expand_attention_gradient(graph::ExpandCall& call);
/// Builds attention or its gradient with mirrored queries, in which each of `blocks` blocks computes the same. Returns
/// nothing if the length does not divide into chunks of whole tiles.
graph::Values balance_attention(graph::ExpandCall& call);
/// The order of mirrored queries, in chunks. Even chunks are in their own place; odd chunk c has the place of chunk
/// `count` - c. So every block of two chunks sees the same number of positions. For instance, 4 blocks store the chunks
/// 0 7, 2 5, 4 3 and 6 1. Llama 3 (2024) and Striped Attention (Brandon et al., 2023) balance a split length like this.
struct Mirrors {
  int64_t size = 0;   ///< the queries of a chunk
  int64_t count = 1;  ///< of chunks
  /// Returns the distance from the place of a query to its position.
  int64_t shift(int64_t place) const {
    const int64_t chunk = place / size;
    return chunk % 2 == 0 ? 0 : (count - 2 * chunk) * size;
  }
};
Mirrors mirrors_of(const graph::Operation& operation);
/// The part of its counted positions that the last of `blocks` blocks of queries sees: more than other blocks, unless
/// all see the same.
double part_of_last_block(const graph::Operation& operation, int64_t blocks);
/// The gradient of the scores, as a graph: [.., length, memory].
graph::Value score_gradient(Builder& b, const graph::Operation& operation, const graph::Values& operands,
                            const graph::Value& log_sum, const graph::Value& delta, const graph::Value& d_out);

void attention_kernel(graph::KernelCall& call);
void attention_kept_kernel(graph::KernelCall& call);
void attention_gradient_kernel(graph::KernelCall& call);

}  // namespace mtf::ops
