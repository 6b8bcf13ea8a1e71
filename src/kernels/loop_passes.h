// The passes of compile() over a FusionProgram. They keep the bits of the results.
#pragma once

#include "kernels/fused_loop.h"

namespace mtf::kernels {

/// Computes a gate that several functions of one value share (gelu and its derivative, for instance) only once, in f32
/// at least. Throws as FusionProgram::value_types() does.
FusionProgram with_shared_gates(FusionProgram program);

/// Removes the steps that no output needs.
FusionProgram without_unused_steps(FusionProgram program);

}  // namespace mtf::kernels
