#include "kernels/lane_step_table.h"

namespace mtf::lanes {

AnyStep wide_int_step(LaneOp op, int place) { return find_step<I8>(op, place); }

}  // namespace mtf::lanes
