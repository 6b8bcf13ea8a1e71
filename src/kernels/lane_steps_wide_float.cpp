#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep wide_float_step(LaneOp op, int place) { return find_step<F8>(op, place); }
AnyStep wide_bf16_step(LaneOp op, int place) {
  return op == LaneOp::kMod ? binary_step_of<F8, Bf16Mod>(place) : wide_float_step(op, place);
}

}  // namespace mtf::kernels::lanes
