#pragma once
// How nodes of the operations that move elements keep what their kernels need (Attributes), for those who add such
// nodes without a script's call: the builder's vocabulary, gradients, the evaluator's `x[d: i]`.
//
//   operation   dims               ints                                                     inputs
//   reshape     the result's       -                                                        -
//   rename      the result's       -                                                        -
//   broadcast   the result's       for each dim of the result the operand's, or -1;         -
//                                  of a number that is always 0 one more, -1
//   range       the dim            -                                                        -
//   tensor      the result's       -                                                        the numbers, row-major
//   slice       -                  the operand's dim, first, count, stride                  -
//   index       the dim            the operand's dim                                        the place
//   pad         -                  the operand's dim, before, after                         -
//   shift       -                  the operand's dim, by, 1 if it wraps                     -
//   reverse     -                  the operand's dims                                       -
//   cumsum      -                  the operand's dim, 1 if exclusive, 1 if reversed         -
//
// A kernel sees blocks, which have no names; that is why `broadcast` says which dims correspond.
#include <cstdint>
#include <functional>

#include "ops/builder.h"

namespace mtf {

/// Of `broadcast`: `result` has every dim of `operand`, in any order.
Attributes broadcast_attributes(const Dims& operand, const Dims& result);

/// Of `broadcast` of a number that is 0, whatever runs: what a sum begins with.
Attributes zero_attributes(const Dims& result);
/// The operation is such a one.
bool is_zero(const Operation& operation);

/// The index in `x` of the dim that a label or `over:` names; refused at `span` if `x` has none of that name.
int place_of(const Value& x, const Dim& dim, Span span);

/// The elements `first .. last` (excluded), every `stride`-th, of a dim of `x`; the dim keeps its name. Bounds outside
/// the dim and an empty range are refused at `span`.
Value slice_dim(Builder& builder, const Value& x, int dim, int64_t first, int64_t last, int64_t stride, Span span);

/// x at place `place` of a dim, which is gone from the result. A place outside the dim is refused at `span`; a NaN
/// stands for one that is not known yet, and is judged when it runs.
Value index_dim(Builder& builder, const Value& x, int dim, double place, Span span);

/// `result`, or a copy of `x` if nothing was to be done: what an operation gives is a value of its own.
Value own_value(Builder& builder, const Value& result, const Value& x);

/// A tensor with `number` everywhere; unlike a number of the host, it has an element type of its own.
Value filled(Builder& builder, double number, const TensorType& type);

/// A constant zero (is_zero).
Value zeros(Builder& builder, const TensorType& type);

/// What `make` adds under the mesh of `like`, laid out as `like`: zeros_like, the mask of dropout.
Value made_like(Builder& builder, const Value& like, const std::function<Value()>& make);

}  // namespace mtf
