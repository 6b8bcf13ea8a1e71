#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace mtf::properties {

/// Every golden script and example, in order.
inline std::vector<std::string> scripts() {
  const std::filesystem::path top = std::filesystem::path(MTF_STDLIB_DIR).parent_path();
  std::vector<std::string> found;
  for (const char* folder : {"tests/scripts", "examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder))
      if (entry.path().extension() == ".mtf") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace mtf::properties
