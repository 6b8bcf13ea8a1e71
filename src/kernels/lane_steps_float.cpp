#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep float_step(LaneOp op, int place) { return find_step<F4>(op, place); }

}  // namespace mtf::kernels::lanes
