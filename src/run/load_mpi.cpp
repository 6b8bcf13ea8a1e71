#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "run/mpi.h"
#include "support/diagnostics.h"
#include "support/platform.h"
#include "support/text.h"

namespace mtf::run {
namespace {

constexpr const char* kPluginName = "libmtf_mpi.so";

[[noreturn]] void fail_without_mpi(const std::string& why) {
  fail(Diagnostic(Kind::mpi_not_found, {}, why)
           .help("install the package `mtf-mpi`, or name the plug-in by MTF_MPI=/path/to/libmtf_mpi.so")
           .help("a single process, without mpirun, hosts every processor of a mesh itself"));
}

/// The files that may be the plug-in, in the order in which they are tried.
std::vector<std::filesystem::path> plugin_files() {
  if (const char* given = std::getenv("MTF_MPI"); given != nullptr && *given != '\0') return {given};
  std::vector<std::filesystem::path> files;
  const std::filesystem::path here = std::filesystem::path(path_of_library()).parent_path();
  if (!here.empty())
    for (const char* folder : {".", "mtf", "..", "../" MTF_LIBRARY_FOLDER "/mtf"})
      files.push_back(here / folder / kPluginName);
  files.push_back(std::filesystem::path(MTF_PLUGIN_FOLDER) / kPluginName);
  return files;
}

}  // namespace

std::unique_ptr<Mpi> load_mpi() {
  void* library = nullptr;
  const std::vector<std::filesystem::path> files = plugin_files();
  for (const std::filesystem::path& file : files) {
    std::error_code ignored;
    if (files.size() > 1 && !std::filesystem::exists(file, ignored)) continue;
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail_without_mpi(dlerror());
    break;
  }
  if (library == nullptr) fail_without_mpi(fmt::format("there is no {}", code(kPluginName)));
  const auto version = reinterpret_cast<const char* (*)()>(dlsym(library, kMpiVersion));
  const auto make = reinterpret_cast<Mpi* (*)()>(dlsym(library, kMpiMaker));
  if (version == nullptr || make == nullptr) fail_without_mpi("the plug-in is not one of mtf");
  if (std::string_view(version()) != MTF_VERSION)
    fail_without_mpi(fmt::format("the plug-in is of version {}, and this is version {}", version(), MTF_VERSION));
  return std::unique_ptr<Mpi>(make());
}

}  // namespace mtf::run
