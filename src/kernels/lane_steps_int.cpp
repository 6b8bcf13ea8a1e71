#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep int_step(LaneOp op, int place) { return find_step<I4>(op, place); }

}  // namespace mtf::kernels::lanes
