#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep wide_float_step(LaneOp op, int position) { return find_step<F8>(op, position); }
AnyStep wide_bf16_step(LaneOp op, int position) {
  return op == LaneOp::kMod ? binary_step_of<F8, Bf16Mod>(position) : wide_float_step(op, position);
}

}  // namespace mtf::kernels::lanes
