#include "library/library.h"

#include "library/functions.h"
#include "library/run_files.h"

namespace mtf {
namespace {

std::vector<HostFunction> joined(const std::vector<std::vector<HostFunction>>& tables) {
  std::vector<HostFunction> all;
  for (const std::vector<HostFunction>& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

}  // namespace

const HostLibrary& host_library() {
  static const HostLibrary kLibrary{
      .functions = joined({string_functions(), write_functions()}),
      .native = joined({array_functions(), dataset_functions(), text_functions(), pair_functions(), packing_functions(),
                        checkpoint_functions(), log_functions()}),
      .new_state = []() -> std::unique_ptr<LibraryState> { return std::make_unique<RunFiles>(); },
  };
  return kLibrary;
}

}  // namespace mtf
