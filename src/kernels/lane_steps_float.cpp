#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep float_step(LaneOp op, int place) { return find_step<F4>(op, place); }
AnyStep bf16_step(LaneOp op, int place) {
  return op == LaneOp::kMod ? binary_step_of<F4, Bf16Mod>(place) : float_step(op, place);
}

}  // namespace mtf::kernels::lanes
