// The table of one level. It is compiled with MTF_LEVEL_TABLE, the name of its symbol.
#include "kernels/kernel_table.h"

extern "C" {
extern const mtf::kernels::KernelTable MTF_LEVEL_TABLE;
constinit const mtf::kernels::KernelTable MTF_LEVEL_TABLE = {
    .compile = mtf::kernels::compile,
    .attention = mtf::kernels::make_attention,
    .matmul = mtf::kernels::matmul,
    .convolve = mtf::kernels::convolve,
    .convolve_input_gradient = mtf::kernels::convolve_input_gradient,
    .convolve_window_gradient = mtf::kernels::convolve_window_gradient,
    .max_pool = mtf::kernels::max_pool,
    .max_pool_gradient = mtf::kernels::max_pool_gradient,
    .mean_pool = mtf::kernels::mean_pool,
    .mean_pool_gradient = mtf::kernels::mean_pool_gradient,
    .softmax_rows = mtf::kernels::softmax_rows,
    .log_softmax_rows = mtf::kernels::log_softmax_rows,
    .logsumexp_rows = mtf::kernels::logsumexp_rows,
    .log_sum_rows = mtf::kernels::log_sum_rows,
    .layer_norm_rows = mtf::kernels::layer_norm_rows,
    .fill_kept = mtf::kernels::fill_kept,
    .fill_uniform = mtf::kernels::fill_uniform,
    .fill_normal = mtf::kernels::fill_normal,
    .fill_truncated_normal = mtf::kernels::fill_truncated_normal,
    .fill_integers = mtf::kernels::fill_integers,
    .copy_block = mtf::kernels::copy_block,
    .copy_matrix = mtf::kernels::copy_matrix,
    .fill_block = mtf::kernels::fill_block,
    .position_of_extreme = mtf::kernels::position_of_extreme,
    .positions_of_extremes = mtf::kernels::positions_of_extremes,
    .position_of = mtf::kernels::position_of,
    .position_above = mtf::kernels::position_above,
    .combine_elements = mtf::kernels::combine_elements,
    .add_elements = mtf::kernels::add_elements,
    .convert_elements = mtf::kernels::convert_elements,
    .running_sums = mtf::kernels::running_sums,
    .line_sums = mtf::kernels::line_sums,
    .sum_line_groups = mtf::kernels::sum_line_groups,
    .ids_below = mtf::kernels::ids_below,
    .weighted_sum = mtf::kernels::weighted_sum,
};
}
