#include "kernels/lane_step_table.h"

namespace mtf::kernels::lanes {

AnyStep double_step(LaneOp op, int position) { return find_step<D8>(op, position); }

}  // namespace mtf::kernels::lanes
