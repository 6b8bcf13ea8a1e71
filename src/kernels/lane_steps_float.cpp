#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep float_step(LaneOp op, int position) { return find_step<F4>(op, position); }
AnyStep bf16_step(LaneOp op, int position) {
  return op == LaneOp::kMod ? binary_step_of<F4, Bf16Mod>(position) : float_step(op, position);
}

}  // namespace mtf::kernels::lanes
