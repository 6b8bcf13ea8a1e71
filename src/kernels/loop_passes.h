// The passes of compile() over a LoopProgram. They keep the bits of the results.
#pragma once

#include "kernels/fused_loop.h"

namespace mtf::kernels {

/// Computes a gate that several functions of one value share (gelu and its derivative, for instance) only once, in f32
/// at least. Throws as LoopProgram::value_types() does.
LoopProgram with_shared_gates(LoopProgram program);

/// Removes the steps that no output needs.
LoopProgram without_unused_steps(LoopProgram program);

}  // namespace mtf::kernels
