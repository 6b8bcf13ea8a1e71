#include "support/library_files.h"

#include <algorithm>
#include <filesystem>

#include "support/diagnostics.h"

namespace mtf {
namespace {

constexpr std::string_view kBuiltIn = "<stdlib>";
constexpr std::string_view kModule = ".mtf";

const BuiltInFile* find_built_in(std::string_view name) {
  for (const BuiltInFile& file : built_in_files())
    if (file.name == name) return &file;
  return nullptr;
}

}  // namespace

std::vector<std::string> LibraryFiles::modules() const {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (name.ends_with(kModule)) names.emplace_back(name.substr(0, name.size() - kModule.size()));
  };
  if (folder_.empty()) {
    for (const BuiltInFile& file : built_in_files()) add(file.name);
  } else {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored))
      add(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool LibraryFiles::has(std::string_view name) const {
  if (folder_.empty()) return find_built_in(name) != nullptr;
  std::error_code ignored;
  return std::filesystem::exists(path_of(name), ignored);
}

std::string LibraryFiles::path_of(std::string_view name) const {
  std::string path = folder_.empty() ? std::string(kBuiltIn) : folder_;
  path += '/';
  return path.append(name);
}

bool LibraryFiles::has_path(std::string_view path) const { return path.starts_with(path_of("")); }

std::shared_ptr<const SourceFile> LibraryFiles::read(std::string_view name) const {
  if (!folder_.empty()) return SourceFile::read(path_of(name));
  const BuiltInFile* const file = find_built_in(name);
  if (file == nullptr) fail(Kind::file_not_found, {}, path_of(name));
  return SourceFile::create(path_of(name), std::string(file->text));
}

}  // namespace mtf
