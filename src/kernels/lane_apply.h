// Each LaneOp as a function of packets (internal: see lane_math.h).
#pragma once

#include "kernels/fused_loop.h"
#include "kernels/lane_math.h"

namespace mtf::kernels::lanes {

/// x gate, and 0 where x is -inf, because every gate is 0 there.
template <class V>
inline V gated(V x, V gate) {
  return Eigen::internal::pmax<V>(x, splat<V>(std::numeric_limits<Scalar<V>>::lowest())) * gate;
}
/// gelu(x) = x gate(x), because (1 + tanh u) / 2 is sigmoid 2u. The gate is 0 where it would be a denormal.
template <class V>
inline V gelu_gate(V x) {
  return near_sigmoid_of(Scalar<V>(2) * ((x + (x * x * x) * Scalar<V>(0.044715)) * Scalar<V>(0.79788456080286535588)));
}
/// The derivative of gelu, given the gate. Beyond 1e6 the gate is 0 or 1 and its derivative is 0.
template <class V>
inline V gelu_grad_of(V any_x, V gate) {
  using S = Scalar<V>;
  const V x = bounded(any_x, S(1e6));
  const V inner = (S(1) + (x * x) * S(3 * 0.044715)) * S(0.79788456080286535588);
  return gate + (S(2) * x) * ((gate * (S(1) - gate)) * inner);
}
/// `result`, with 0 instead of NaN where `zero` is set. A finite result keeps its bits, also the sign of a zero.
template <class V>
inline V number_or_zero_where(Mask<V> zero, V result) {
  return select<V>(zero & (result != result), V{}, result);
}
/// a - b before an exponential that gives a share: 0 where both are inf, -inf where both are -inf.
template <class V>
inline V shifted(V a, V b) {
  const V difference = a - b;
  return select<V>((difference != difference) & (a == b), select<V>(a < 0, a, V{}), difference);
}
/// The derivative of swish, given the sigmoid. Beyond 1e6 the sigmoid is 0 or 1.
template <class V>
inline V swish_grad_of(V any_x, V sigmoid) {
  using S = Scalar<V>;
  const V x = bounded(any_x, S(1e6));
  return sigmoid * (S(1) + x * (S(1) - sigmoid));
}

/// Inlined always: a step applies it to eight packets, which share the constants in registers. g++ calls log, for one,
/// once the source has many such functions.
template <LaneOp kOp, class V>
__attribute__((always_inline)) inline V apply(V a) {
  using S = Scalar<V>;
  if constexpr (kOp == LaneOp::kNot) {
    return ~a;
  } else if constexpr (std::is_same_v<V, I>) {
    if constexpr (kOp == LaneOp::kNeg) return (I)(-(U)a);
    if constexpr (kOp == LaneOp::kAbs) return abs_of(a);
    if constexpr (kOp == LaneOp::kSign) return (a < 0) - (a > 0);
    if constexpr (kOp == LaneOp::kRelu) return a > 0 ? a : I{};
    if constexpr (kOp == LaneOp::kSquare) return (I)((U)a * (U)a);
    if constexpr (kOp == LaneOp::kFloor || kOp == LaneOp::kRound || kOp == LaneOp::kCeil) return a;
    if constexpr (kOp == LaneOp::kBitNot) return ~a;
  } else {
    if constexpr (kOp == LaneOp::kNeg) return -a;
    if constexpr (kOp == LaneOp::kAbs) return abs_of(a);
    if constexpr (kOp == LaneOp::kSign) return select<V>(a > 0, splat<V>(1), select<V>(a < 0, splat<V>(-1), a));
    if constexpr (kOp == LaneOp::kSqrt) return sqrt_of(a);
    if constexpr (kOp == LaneOp::kRsqrt) return S(1) / sqrt_of(a);
    if constexpr (kOp == LaneOp::kExp) return exp_of(a);
    if constexpr (kOp == LaneOp::kLog) return log_of(a);
    if constexpr (kOp == LaneOp::kSin) return sin_of(a);
    if constexpr (kOp == LaneOp::kCos) return cos_of(a);
    if constexpr (kOp == LaneOp::kTanh) return tanh_of(a);
    if constexpr (kOp == LaneOp::kSigmoid) return sigmoid_of(a);
    if constexpr (kOp == LaneOp::kRelu) return select<V>((a > 0) | (a != a), a, V{});
    if constexpr (kOp == LaneOp::kGelu) return gated(a, gelu_gate(a));
    if constexpr (kOp == LaneOp::kGeluGate) return gelu_gate(a);
    if constexpr (kOp == LaneOp::kSwish) return gated(a, sigmoid_of(a));
    if constexpr (kOp == LaneOp::kElu) return select<V>(a > 0, a, expm1_of(a));
    if constexpr (kOp == LaneOp::kSelu) {
      return select<V>(a > 0, a, expm1_of(a) * S(1.6732632423543772848)) * S(1.0507009873554804934);
    }
    if constexpr (kOp == LaneOp::kSoftplus) return maximum_of(a, V{}) + log1p_of(exp_of(-abs_of(a)));
    if constexpr (kOp == LaneOp::kGeluGrad) return gelu_grad_of(a, gelu_gate(a));
    if constexpr (kOp == LaneOp::kSwishGrad) return swish_grad_of(a, sigmoid_of(a));
    if constexpr (kOp == LaneOp::kSquare) return a * a;
    if constexpr (kOp == LaneOp::kReciprocal) return S(1) / a;
    if constexpr (kOp == LaneOp::kExpm1) return expm1_of(a);
    if constexpr (kOp == LaneOp::kLog1p) return log1p_of(a);
    if constexpr (kOp == LaneOp::kErf) return erf_of(a);
    if constexpr (kOp == LaneOp::kTan) return tan_of(a);
    if constexpr (kOp == LaneOp::kAsin) return asin_of(a);
    if constexpr (kOp == LaneOp::kAcos) return acos_of(a);
    if constexpr (kOp == LaneOp::kAtan) return atan_of(a);
    if constexpr (kOp == LaneOp::kSinh) return sinh_of(a);
    if constexpr (kOp == LaneOp::kCosh) return cosh_of(a);
    if constexpr (kOp == LaneOp::kAsinh) return asinh_of(a);
    if constexpr (kOp == LaneOp::kAcosh) return acosh_of(a);
    if constexpr (kOp == LaneOp::kAtanh) return atanh_of(a);
    if constexpr (kOp == LaneOp::kFloor) return floor_of(a);
    if constexpr (kOp == LaneOp::kCeil) return -floor_of(-a);
    if constexpr (kOp == LaneOp::kRound) return round_of(a);
  }
}

template <LaneOp kOp, class V>
inline V apply(V a, V b) {
  if constexpr (kOp == LaneOp::kEq) return (V)(a == b);
  if constexpr (kOp == LaneOp::kNe) return (V)(a != b);
  if constexpr (kOp == LaneOp::kLt) return (V)(a < b);
  if constexpr (kOp == LaneOp::kLe) return (V)(a <= b);
  if constexpr (kOp == LaneOp::kGt) return (V)(a > b);
  if constexpr (kOp == LaneOp::kGe) return (V)(a >= b);
  if constexpr (kOp == LaneOp::kMinimum) return minimum_of(a, b);
  if constexpr (kOp == LaneOp::kMaximum) return maximum_of(a, b);
  if constexpr (std::is_same_v<V, I>) {
    if constexpr (kOp == LaneOp::kAnd) return a & b;
    if constexpr (kOp == LaneOp::kOr) return a | b;
    if constexpr (kOp == LaneOp::kAdd) return (I)((U)a + (U)b);
    if constexpr (kOp == LaneOp::kSub) return (I)((U)a - (U)b);
    if constexpr (kOp == LaneOp::kMul) return (I)((U)a * (U)b);
    if constexpr (kOp == LaneOp::kDiv || kOp == LaneOp::kFloordiv) return int_floordiv(a, b);
    if constexpr (kOp == LaneOp::kMod) return int_mod(a, b);
    if constexpr (kOp == LaneOp::kPow) return int_pow(a, b);
    if constexpr (kOp == LaneOp::kBitAnd) return a & b;
    if constexpr (kOp == LaneOp::kBitOr) return a | b;
    if constexpr (kOp == LaneOp::kBitXor) return a ^ b;
    if constexpr (kOp == LaneOp::kShiftLeft) return (I)((U)a << (U)bits_to_shift(b)) & (b < 32);
    if constexpr (kOp == LaneOp::kShiftRight) return a >> bits_to_shift(b);
  } else {
    if constexpr (kOp == LaneOp::kAdd) return a + b;
    if constexpr (kOp == LaneOp::kSub) return a - b;
    if constexpr (kOp == LaneOp::kMul) return a * b;
    if constexpr (kOp == LaneOp::kDiv) return a / b;
    if constexpr (kOp == LaneOp::kFloordiv) return floordiv_of(a, b);
    if constexpr (kOp == LaneOp::kMod) return mod_of(a, b);
    if constexpr (kOp == LaneOp::kPow) return pow_of(a, b);
    if constexpr (kOp == LaneOp::kLeakyRelu) {
      return select<V>(a > 0, a, number_or_zero_where((a == a) & (b == b), a * b));
    }
    if constexpr (kOp == LaneOp::kGated) return gated(a, b);
    if constexpr (kOp == LaneOp::kGeluGradOf) return gelu_grad_of(a, b);
    if constexpr (kOp == LaneOp::kSwishGradOf) return swish_grad_of(a, b);
    if constexpr (kOp == LaneOp::kZeroTimes) return number_or_zero_where(a == 0, a * b);
    if constexpr (kOp == LaneOp::kZeroOver) return number_or_zero_where(a == 0, a / b);
    if constexpr (kOp == LaneOp::kZeroProduct) return number_or_zero_where((a == 0) | (b == 0), a * b);
    if constexpr (kOp == LaneOp::kShifted) return shifted(a, b);
  }
}

/// A LaneOp of two operands as a function object.
template <LaneOp kOp>
struct Applied {
  template <class V>
  V operator()(V a, V b) const {
    return apply<kOp>(a, b);
  }
};
/// The remainder of bf16. It must be less than the divisor after rounding.
struct Bf16Mod {
  F operator()(F a, F b) const { return bf16_mod_of(a, b); }
};

/// where: the mask's bits choose. Works for any element type.
template <class V>
inline V choose(V mask, V a, V b) {
  if constexpr (std::is_same_v<V, D>) return ((L)mask != 0) ? a : b;
  else return (V)(((I)mask != 0) ? (I)a : (I)b);
}

}  // namespace mtf::kernels::lanes
