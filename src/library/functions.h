#pragma once
// The functions of the library: each table is in the file of its functions.
#include <string_view>
#include <vector>

#include "eval/host_library.h"

namespace mtf {

// ---- what every program sees ----
std::vector<HostFunction> string_functions();
std::vector<HostFunction> write_functions();

// ---- what the standard modules see, in the module `native` ----
std::vector<HostFunction> array_functions();       ///< data.npy, data.save_npy
std::vector<HostFunction> dataset_functions();     ///< data.idx: examples with labels
std::vector<HostFunction> text_functions();        ///< data.text, data.tokens and their like: texts and tokenizers
std::vector<HostFunction> pair_functions();        ///< data.pairs, metrics.bleu: texts with translations
std::vector<HostFunction> packing_functions();     ///< data.packed: texts that share rows
std::vector<HostFunction> checkpoint_functions();  ///< the module `checkpoint`: files of variables
std::vector<HostFunction> log_functions();         ///< the module `logs`: lines added to files

/// The lines of a text without their ends, as a list.
HostValue list_of_lines(std::string_view text, Span span);

}  // namespace mtf
