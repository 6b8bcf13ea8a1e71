#include "library/library.h"

#include "library/functions.h"
#include "library/run_files.h"

namespace mtf::library {
namespace {

std::vector<eval::HostFunction> joined(const std::vector<std::vector<eval::HostFunction>>& tables) {
  std::vector<eval::HostFunction> all;
  for (const std::vector<eval::HostFunction>& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

}  // namespace

const eval::HostLibrary& host_library() {
  static const eval::HostLibrary kLibrary{
      .functions = joined({string_functions(), write_functions()}),
      .native = joined({array_functions(), table_functions(), json_functions(), dataset_functions(),
                        example_functions(), text_functions(), pair_functions(), packing_functions(),
                        checkpoint_functions(), log_functions(), model_functions()}),
      .new_state = []() -> std::unique_ptr<eval::LibraryState> { return std::make_unique<RunFiles>(); },
  };
  return kLibrary;
}

}  // namespace mtf::library
