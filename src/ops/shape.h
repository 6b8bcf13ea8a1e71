#pragma once
// Operations that change the dims of a tensor: their attributes, and functions that add them without a script's call.
#include <cstdint>
#include <functional>

#include "ops/builder.h"

namespace mtf::ops {

/// The result has as many elements as the operand.
struct ReshapeAttributes {
  Dims result;
  static constexpr auto members() { return std::array{graph::member<&ReshapeAttributes::result>("->")}; }
};

/// New names for the operand's dims, in their order.
struct RenameAttributes {
  Names result;
  static constexpr auto members() { return std::array{graph::member<&RenameAttributes::result>("->")}; }
};

/// The result has every dim of the operand, in any order.
struct BroadcastAttributes {
  Dims result;
  bool always_zero = false;  ///< the operand is the number 0 in every run: the start of a sum
  static constexpr auto members() {
    return std::array{graph::member<&BroadcastAttributes::always_zero>("always_zero"),
                      graph::member<&BroadcastAttributes::result>("->")};
  }
};

struct RangeAttributes {
  Dim dim;
  static constexpr auto members() { return std::array{graph::member<&RangeAttributes::dim>("dim")}; }
};

/// True if the operation is a broadcast of a number that is always 0.
bool is_zero(const graph::Operation& operation);

/// The index in `x` of the dim that a label or `over:` names. Fails at `span` if `x` has none of that name.
int position_of(const graph::Value& x, const Dim& dim, Span span);

/// The elements from `first` to `last` (excluded), `stride` apart, of a dim of `x`. The dim keeps its name. Fails at
/// `span` if a bound is outside the dim or the range is empty.
graph::Value slice_dim(Builder& builder, const graph::Value& x, int dim, int64_t first, int64_t last, int64_t stride,
                       Span span);

/// x at position `position` of a dim, which the result lacks. Fails at `span` if the position is outside the dim. NaN
/// stands for an unknown position, which is checked when the program runs.
graph::Value index_dim(Builder& builder, const graph::Value& x, int dim, double position, Span span);

/// `result`, or a copy of `x` if the operation changed nothing, because an operation returns a new value.
graph::Value own_value(Builder& builder, const graph::Value& result, const graph::Value& x);

/// A tensor filled with `number`. Unlike a host number, it has its own element type.
graph::Value filled(Builder& builder, double number, const TensorType& type);

/// A constant zero (is_zero).
graph::Value zeros(Builder& builder, const TensorType& type);

/// Runs `make` under the mesh of `like`, and gives the result the layout of `like` (for zeros_like and dropout's mask).
graph::Value made_like(Builder& builder, const graph::Value& like, const std::function<graph::Value()>& make);

}  // namespace mtf::ops
