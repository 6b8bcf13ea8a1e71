#pragma once
// Operations that give the elements of a tensor other dims: what they are, for those who add them without a script's
// call.
#include <cstdint>
#include <functional>

#include "ops/builder.h"

namespace mtf::ops {

/// The result has as many elements.
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
  bool always_zero = false;  ///< the operand is a number that is 0, whatever runs: what a sum begins with
  static constexpr auto members() {
    return std::array{graph::member<&BroadcastAttributes::always_zero>("always_zero"),
                      graph::member<&BroadcastAttributes::result>("->")};
  }
};

struct RangeAttributes {
  Dim dim;
  static constexpr auto members() { return std::array{graph::member<&RangeAttributes::dim>("dim")}; }
};

/// The operation is a broadcast of a number that is always 0.
bool is_zero(const graph::Operation& operation);

/// The index in `x` of the dim that a label or `over:` names; refused at `span` if `x` has none of that name.
int place_of(const graph::Value& x, const Dim& dim, Span span);

/// The elements `first .. last` (excluded), every `stride`-th, of a dim of `x`; the dim keeps its name. Bounds outside
/// the dim and an empty range are refused at `span`.
graph::Value slice_dim(Builder& builder, const graph::Value& x, int dim, int64_t first, int64_t last, int64_t stride,
                       Span span);

/// x at place `place` of a dim, which is gone from the result. A place outside the dim is refused at `span`; a NaN
/// stands for one that is not known yet, and is judged when it runs.
graph::Value index_dim(Builder& builder, const graph::Value& x, int dim, double place, Span span);

/// `result`, or a copy of `x` if nothing was to be done: what an operation gives is a value of its own.
graph::Value own_value(Builder& builder, const graph::Value& result, const graph::Value& x);

/// A tensor with `number` everywhere; unlike a number of the host, it has an element type of its own.
graph::Value filled(Builder& builder, double number, const TensorType& type);

/// A constant zero (is_zero).
graph::Value zeros(Builder& builder, const TensorType& type);

/// What `make` adds under the mesh of `like`, laid out as `like`: zeros_like, the mask of dropout.
graph::Value made_like(Builder& builder, const graph::Value& like, const std::function<graph::Value()>& make);

}  // namespace mtf::ops
