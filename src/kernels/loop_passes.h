// What compile() makes of a LoopProgram before it writes its code. Results keep their bits.
#pragma once

#include "kernels/fused_loop.h"

namespace mtf::kernels {

/// Where functions of one value have a gate in common, as gelu and its derivative, it is computed once, in f32 at
/// least. Throws as LoopProgram::value_types() does.
LoopProgram with_shared_gates(LoopProgram program);

/// Without the steps that no output needs.
LoopProgram without_unused_steps(LoopProgram program);

}  // namespace mtf::kernels
