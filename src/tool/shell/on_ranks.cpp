#include "tool/shell/on_ranks.h"

#include <unistd.h>

#include <utility>

namespace mtf::tool {

ProcessResult run_program_on_ranks(std::int64_t ranks, const std::vector<std::string>& arguments,
                                   std::chrono::seconds limit, std::size_t most_output, const TakeLine& take_line,
                                   const IsUnwanted& is_unwanted) {
  std::vector<std::string> words = {"mpirun", "-q", "--oversubscribe", "-n", std::to_string(ranks)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::pair<std::string, std::string>> variables = {{"OMPI_MCA_mpi_yield_when_idle", "1"},
                                                                {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}};
  if (geteuid() == 0)
    variables.insert(variables.end(), {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  return run_process(words, variables, limit, most_output, take_line, is_unwanted);
}

}  // namespace mtf::tool
