// The entry to the kernels for the rest of the program: kernels::table().matmul(…).
//
// The kernels are compiled once for each *level*, an instruction set that many processors have. On x86-64 the levels
// are v2, v3 and v4 of its psABI, and v4 with bf16 products (AVX512_BF16). Other architectures have one level with the
// architecture's name. All other code is compiled for the architecture's baseline. The objects of a level are linked
// into one object, whose only global symbol is the level's table. Inline functions of the standard library and of Eigen
// stay local to it, so that no other code can run them. Otherwise the linker would keep one copy of each for the whole
// program, perhaps with instructions that the processor lacks. tests/levels_apart.sh disassembles the program to check
// this. The rest of the program calls the functions of this folder as members of the table. Threads, Scratch, the facts
// of a FusionProgram and convolved_size() do not depend on the level, and are called directly.
//
// One level is chosen for the whole process, before the first kernel runs (level.h).
#pragma once

#include "kernels/attention.h"
#include "kernels/convolution.h"
#include "kernels/copy.h"
#include "kernels/extremes.h"
#include "kernels/fused_loop.h"
#include "kernels/matmul.h"
#include "kernels/philox.h"
#include "kernels/pooling.h"
#include "kernels/rows.h"
#include "kernels/runs.h"

namespace mtf::kernels {

// The program selects a level itself. The dynamic linker's selection (glibc-hwcaps) has no level for products of bf16,
// and does nothing for a static library.

struct KernelTable {
  decltype(kernels::compile)* compile;
  decltype(kernels::make_attention)* attention;

  decltype(kernels::matmul)* matmul;
  decltype(kernels::convolve)* convolve;
  decltype(kernels::convolve_input_gradient)* convolve_input_gradient;
  decltype(kernels::convolve_window_gradient)* convolve_window_gradient;
  decltype(kernels::max_pool)* max_pool;
  decltype(kernels::max_pool_gradient)* max_pool_gradient;
  decltype(kernels::mean_pool)* mean_pool;
  decltype(kernels::mean_pool_gradient)* mean_pool_gradient;

  decltype(kernels::softmax_rows)* softmax_rows;
  decltype(kernels::log_softmax_rows)* log_softmax_rows;
  decltype(kernels::logsumexp_rows)* logsumexp_rows;
  decltype(kernels::log_sum_rows)* log_sum_rows;
  decltype(kernels::layer_norm_rows)* layer_norm_rows;

  decltype(kernels::fill_kept)* fill_kept;
  decltype(kernels::fill_uniform)* fill_uniform;
  decltype(kernels::fill_normal)* fill_normal;
  decltype(kernels::fill_truncated_normal)* fill_truncated_normal;
  decltype(kernels::fill_integers)* fill_integers;

  decltype(kernels::copy_block)* copy_block;
  decltype(kernels::copy_matrix)* copy_matrix;
  decltype(kernels::fill_block)* fill_block;

  decltype(kernels::position_of_extreme)* position_of_extreme;
  decltype(kernels::positions_of_extremes)* positions_of_extremes;
  decltype(kernels::position_of)* position_of;
  decltype(kernels::position_above)* position_above;

  decltype(kernels::combine_elements)* combine_elements;
  decltype(kernels::add_elements)* add_elements;
  decltype(kernels::convert_elements)* convert_elements;
  decltype(kernels::running_sums)* running_sums;
  decltype(kernels::line_sums)* line_sums;
  decltype(kernels::sum_line_groups)* sum_line_groups;
  decltype(kernels::ids_below)* ids_below;
  decltype(kernels::weighted_sum)* weighted_sum;
};

/// The kernels of this process's level. The first call chooses a level if use_level() has not. It throws LevelError as
/// default_level() does.
const KernelTable& table();

}  // namespace mtf::kernels
