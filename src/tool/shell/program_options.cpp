#include "tool/shell/program_options.h"

#include <charconv>
#include <cstdlib>

#include "library/library.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

[[noreturn]] void bad_value(std::string_view option, std::string_view text, std::string_view sentence,
                            std::string help) {
  fail(Diagnostic(Kind::bad_option_value, {}, fmt::format("{} \"{}\": {}", option, text, sentence))
           .help(std::move(help)));
}

std::vector<Axis> mesh_of(const std::string& text, std::int64_t ranks) {
  if (trim(text).empty()) return {Axis{"all", ranks}};
  try {
    return parse_axes(text);
  } catch (const std::invalid_argument& error) {
    bad_value("--mesh", text, error.what(), "name each axis with its number of processors: --mesh \"rows:2;cols:2\"");
  }
}

Layout layout_of(const std::string& text) {
  if (trim(text).empty()) return {};
  try {
    return parse_layout(text);
  } catch (const std::invalid_argument& error) {
    bad_value("--layout", text, error.what(), "name each dimension with its axis: --layout \"batch:rows;hidden:cols\"");
  }
}

Placement placement_of(const std::string& text) {
  try {
    return Placement::parse(text);
  } catch (const std::invalid_argument& error) {
    bad_value("--placement", text, error.what(),
              "give every processor once: --placement \"3,2,1,0\", or each along an axis: --placement \"stage:1,0\"");
  }
}

}  // namespace

void add_program_options(OptionParser& parser, ProgramOptions& options) {
  parser.text("--mesh", options.mesh, "AXES", "The mesh throughout, whatever the script declares: \"rows:2;cols:2\"");
  parser.text("--layout", options.layout, "RULES",
              "The layout throughout: \"batch:rows;hidden:cols\"; \"\" replicates; how params and states are stored: "
              "'batch:data;params \"*\":d_model:data'");
  parser.texts("--set", options.set, "NAME=VALUE",
               "An option or top-level dim of the script, or MODULE.NAME; repeatable");
}

void add_threads_option(OptionParser& parser, ProgramOptions& options) {
  parser.number("--threads", options.threads, "N", "Threads of this process (default: its share of the cores)");
}

void add_runtime_options(OptionParser& parser, ProgramOptions& options) {
  add_threads_option(parser, options);
  add_placement_option(parser, options);
  add_memory_option(parser, options);
  parser.flag("--check-finite", options.check_finite,
              "End at the first NaN or infinity that an operation makes of finite operands");
}

void add_memory_option(OptionParser& parser, ProgramOptions& options) {
  parser.text("--memory", options.memory, "BYTES",
              "What each processor has for a program and what it reads, such as 16GiB: where operands or sums of "
              "products would need more whole, they go from processor to processor block by block");
  parser.flag("--remat", options.remat,
              "Compute values again where a program needs more than `--memory` otherwise: those that cost least for "
              "their bytes");
  parser.needs("--remat", {"--memory"});
}

void add_placement_option(OptionParser& parser, ProgramOptions& options) {
  parser.text("--placement", options.placement, "LIST",
              "Which processor each place of the mesh is: \"3,2,1,0\"; or along an axis: \"stage:1,0\"");
}

namespace {

/// `--threads`, for commands that plan too.
int threads_of(const ProgramOptions& options) {
  constexpr int kMaxThreads = 1024;
  if (options.threads < 0 || options.threads > kMaxThreads)
    bad_value("--threads", std::to_string(options.threads), fmt::format("expected a number from 1 to {}", kMaxThreads),
              {});
  return options.threads;
}

}  // namespace

eval::Settings settings_of(const ProgramOptions& options, std::int64_t ranks) {
  threads_of(options);
  eval::Settings settings;
  settings.ranks = ranks;
  settings.stdlib = standard_library();
  settings.library = &library::host_library();
  if (options.mesh) settings.mesh = mesh_of(*options.mesh, ranks);
  if (options.layout) settings.layout = layout_of(*options.layout);
  settings.check_finite = options.check_finite;
  if (options.placement) settings.placement = placement_of(*options.placement);
  if (!options.memory.empty()) settings.memory = bytes_option(options.memory);
  settings.remat = options.remat;
  for (const std::string& text : options.set) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || trim(text.substr(0, equals)).empty())
      bad_value("--set", text, "expected a name, `=` and a value", "such as --set lr=0.3");
    settings.set.emplace_back(trim(text.substr(0, equals)), text.substr(equals + 1));
  }
  return settings;
}

run::MpiRuntimeOptions runtime_options_of(const ProgramOptions& options) {
  run::MpiRuntimeOptions runtime;
  runtime.threads = threads_of(options);
  if (options.placement) runtime.placement = placement_of(*options.placement);
  return runtime;
}

std::string standard_library() {
  const char* const folder = std::getenv("MTF_STDLIB");
  return folder == nullptr ? "" : folder;
}

MeshPtr mesh_option(const std::string& text) { return std::make_shared<const Mesh>(Name("mesh"), mesh_of(text, 1)); }

LayoutPtr layout_option(const std::string& text) { return std::make_shared<const Layout>(layout_of(text)); }

cost::MachineModel machine_option(const std::string& file) {
  if (file.empty()) return {};
  return file == "-" ? cost::parse_machine(read_script(file).text, file) : cost::read_machine(file);
}

int64_t number_of_processors(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > 1'000'000)
    fail(Kind::bad_option_value, {}, "--processors {}: expected a number from 1 to 1,000,000", quote(text));
  return number;
}

int64_t bytes_option(const std::string& text) {
  static const std::pair<std::string_view, double> units[] = {{"KiB", 1024.0},
                                                              {"MiB", 1048576.0},
                                                              {"GiB", 1073741824.0},
                                                              {"TiB", 1099511627776.0},
                                                              {"KB", 1e3},
                                                              {"MB", 1e6},
                                                              {"GB", 1e9},
                                                              {"TB", 1e12},
                                                              {"B", 1},
                                                              {"", 1}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = trim(std::string_view(end, text.data() + text.size()));
  for (const auto& [name, factor] : units)
    if (error == std::errc() && number > 0 && number * factor < 9e18 && unit == name)
      return static_cast<int64_t>(number * factor);
  fail(Kind::bad_option_value, {}, "--memory {}: expected bytes, such as 16GiB or 80GB", quote(text));
}

}  // namespace mtf::tool
