#pragma once
// The functions of the library: each table is in the file of its functions.
#include <string_view>
#include <vector>

#include "eval/host_library.h"

namespace mtf::library {

// ---- what every program sees ----------------------------------------------------------------------------------------
std::vector<eval::HostFunction> string_functions();
std::vector<eval::HostFunction> write_functions();

// ---- what the standard modules see, in the module `native` ----------------------------------------------------------
std::vector<eval::HostFunction> array_functions();    ///< data.npy, data.save_npy
std::vector<eval::HostFunction> table_functions();    ///< data.csv: tables with named columns
std::vector<eval::HostFunction> json_functions();     ///< data.json: values of a JSON file
std::vector<eval::HostFunction> example_functions();  ///< data.examples: the rows of tensors
std::vector<eval::HostFunction> dataset_functions();  ///< data.idx: examples with labels
std::vector<eval::HostFunction> text_functions();     ///< data.text, data.tokens and their like: texts and tokenizers
std::vector<eval::HostFunction> pair_functions();     ///< data.pairs, metrics.bleu: texts with translations
std::vector<eval::HostFunction> packing_functions();  ///< data.packed: texts that share rows
std::vector<eval::HostFunction> checkpoint_functions();  ///< the module `checkpoint`: files of variables
std::vector<eval::HostFunction> log_functions();         ///< the module `logs`: lines added to files
std::vector<eval::HostFunction> model_functions();       ///< what modules ask of models

/// The lines of a text without their ends, as a list.
eval::HostValue list_of_lines(std::string_view text, Span span);

}  // namespace mtf::library
