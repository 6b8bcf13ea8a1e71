#pragma once
// Runs a program on several ranks of this machine.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tool/shell/process.h"

namespace mtf::tool {

/// Like run_process, with mpirun and `ranks` ranks. There may be more ranks than cores.
ProcessResult run_program_on_ranks(std::int64_t ranks, const std::vector<std::string>& arguments,
                                   std::chrono::seconds limit, std::size_t most_output, const TakeLine& take_line,
                                   const IsUnwanted& is_unwanted = {});

}  // namespace mtf::tool
