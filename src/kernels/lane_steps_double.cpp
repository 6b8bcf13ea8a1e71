#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep double_step(LaneOp op, int place) { return find_step<D8>(op, place); }

}  // namespace mtf::kernels::lanes
