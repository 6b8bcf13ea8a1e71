// The table of all steps for one kind of lanes. Each lane_steps_*.cpp instantiates one.
#pragma once

#include "kernels/lane_steps.h"

namespace mtf::kernels::lanes {

// The kinds of value (see lane_ops.def) that a packet type can hold.
enum class Kind { kFloat, kNumber, kInteger, kBoolean, kAny };
template <class V>
constexpr bool holds(Kind kind) {
  if (std::is_same_v<V, I>) return kind != Kind::kFloat;
  return kind != Kind::kBoolean && kind != Kind::kInteger;
}

template <class T, class Function>
AnyStep binary_step_of(int position) {
  return position == 0 ? reinterpret_cast<AnyStep>(&binary_step<T, Function, 0>)
                       : reinterpret_cast<AnyStep>(&binary_step<T, Function, 1>);
}

template <class T>
AnyStep find_step(LaneOp op, int position) {
  using V = typename T::Value;
  switch (op) {
#define MTF_LANE_OP(enumerator, name, operands, types, result)                    \
  case LaneOp::enumerator:                                                        \
    if constexpr (holds<V>(Kind::types) && LaneOp::enumerator != LaneOp::kCast) { \
      if constexpr (operands == 1) {                                              \
        return reinterpret_cast<AnyStep>(&unary_step<T, LaneOp::enumerator>);     \
      } else if constexpr (operands == 2) {                                       \
        return binary_step_of<T, Applied<LaneOp::enumerator>>(position);          \
      }                                                                           \
    }                                                                             \
    return nullptr;
#include "kernels/lane_ops.def"
#undef MTF_LANE_OP
  }
  return nullptr;
}

}  // namespace mtf::kernels::lanes
