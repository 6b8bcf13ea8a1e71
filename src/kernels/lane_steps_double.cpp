#include "kernels/lane_step_table.h"

namespace mtf::lanes {

AnyStep double_step(LaneOp op, int place) { return find_step<D8>(op, place); }

}  // namespace mtf::lanes
