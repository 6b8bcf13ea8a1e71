#include "scripts.h"
#include "../places.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "script.h"
#include "session/session.h"
#include "tool/golden/golden_file.h"
#include "tool/shell/program_options.h"

namespace mtf::properties {

std::vector<std::string> scripts() {
  const std::filesystem::path top = std::filesystem::path(stdlib_folder()).parent_path();
  std::vector<std::string> found;
  for (const char* folder : {"tests/scripts", "examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder))
      if (entry.path().extension() == ".mtf") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<ScriptCase> cases_of(const std::string& path) {
  tool::GoldenFile golden = tool::parse_golden(text_of(path));
  golden.ranks = {1};
  std::vector<ScriptCase> cases;
  for (const tool::Combination& combination : tool::combinations(golden)) {
    tool::ProgramOptions options;
    options.mesh = combination.mesh;
    options.layout = combination.layout;
    eval::Settings settings = tool::settings_of(options, 1);
    settings.stdlib = stdlib_folder();
    settings.parsed = settings_at({""}).parsed;
    if (!session::Session::check_file(path, settings).has_errors())
      cases.push_back({path, path + " " + tool::to_string(combination), std::move(settings)});
  }
  return cases;
}

}  // namespace mtf::properties
