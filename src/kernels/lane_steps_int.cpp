#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep int_step(LaneOp op, int position) { return find_step<I4>(op, position); }

}  // namespace mtf::kernels::lanes
