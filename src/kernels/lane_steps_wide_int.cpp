#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep wide_int_step(LaneOp op, int position) { return find_step<I8>(op, position); }

}  // namespace mtf::kernels::lanes
