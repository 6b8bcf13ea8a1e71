#pragma once
// The options that say under what a script runs: mesh, layout, settings, threads, placement.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/machine.h"
#include "eval/settings.h"
#include "run/mpi_runtime.h"
#include "tool/shell/option_parser.h"

namespace mtf::tool {

/// As typed.
struct ProgramOptions {
  std::optional<std::string> mesh;
  std::optional<std::string> layout;
  std::vector<std::string> set;
  std::optional<std::string> placement;
  std::string memory;
  bool remat = false;
  int threads = 0;
  bool check_finite = false;
};

/// Declares --mesh, --layout and --set.
void add_program_options(OptionParser& parser, ProgramOptions& options);
/// Declares --threads.
void add_threads_option(OptionParser& parser, ProgramOptions& options);
/// Declares --placement.
void add_placement_option(OptionParser& parser, ProgramOptions& options);
/// Declares --memory, of commands that plan as a run does.
void add_memory_option(OptionParser& parser, ProgramOptions& options);
/// Declares these, for commands that compute.
void add_runtime_options(OptionParser& parser, ProgramOptions& options);

/// Returns the settings of a session. Throws UserError of kind bad_option_value.
eval::Settings settings_of(const ProgramOptions& options, std::int64_t ranks);
/// Returns the options of the runtime that computes. Throws UserError of kind bad_option_value.
run::MpiRuntimeOptions runtime_options_of(const ProgramOptions& options);

/// Read `--mesh` and `--layout` if several may be given. Throw UserError of kind bad_option_value.
MeshPtr mesh_option(const std::string& text);
LayoutPtr layout_option(const std::string& text);
/// Reads `--machine FILE`, or returns the standard model. Throws UserError.
cost::MachineModel machine_option(const std::string& file);
/// Reads `--processors N`. Throws UserError of kind bad_option_value.
int64_t number_of_processors(const std::string& text);
/// Reads `--memory 16GiB` as bytes. Throws UserError of kind bad_option_value.
int64_t bytes_option(const std::string& text);

/// Returns $MTF_STDLIB, the folder that replaces the standard library; empty: the built-in library.
std::string standard_library();

}  // namespace mtf::tool
