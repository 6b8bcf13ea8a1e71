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

/// What a session is given. Throws UserError of kind bad_option_value.
eval::Settings settings_of(const ProgramOptions& options, std::int64_t ranks);
/// What the runtime that computes is given. Throws UserError of kind bad_option_value.
run::MpiRuntimeOptions runtime_options_of(const ProgramOptions& options);

/// `--mesh`, `--layout`, where several may be given. Throw UserError of kind bad_option_value.
MeshPtr mesh_option(const std::string& text);
LayoutPtr layout_option(const std::string& text);
/// `--machine FILE`, or the standard model. Throws UserError.
cost::MachineModel machine_option(const std::string& file);
/// `--processors N`. Throws UserError of kind bad_option_value.
int64_t number_of_processors(const std::string& text);
/// `--memory 16GiB`: bytes. Throws UserError of kind bad_option_value.
int64_t bytes_option(const std::string& text);

/// $MTF_STDLIB, the folder that replaces the standard library; empty: the built-in one.
std::string standard_library();

}  // namespace mtf::tool
