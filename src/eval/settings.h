#pragma once
// The settings of a session: the options of the command line, and the functions that programs can call. They hold for
// the whole session; no declaration of a script overrides them.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/layouts.h"
#include "syntax/parse.h"
#include "types/layout.h"
#include "types/mesh.h"
#include "types/placement.h"

namespace mtf::eval {

struct HostLibrary;  // eval/host_library.h

struct Settings {
  std::optional<std::vector<Axis>> mesh;                 ///< --mesh
  std::optional<Layout> layout;                          ///< --layout
  std::vector<std::pair<std::string, std::string>> set;  ///< --set name=value, `module.name` for a module's
  bool remat = false;                    ///< --remat: compute values again where a plan needs more than `memory`
  int64_t memory = 0;                    ///< --memory: bytes per processor for a program and its inputs; 0: no limit
  Placement placement = {};              ///< --placement, checked against the meshes
  std::string stdlib;                    ///< folder that replaces the standard library; empty: the built-in one
  const HostLibrary* library = nullptr;  ///< functions that programs can call besides the language's; null: none
  int64_t ranks = 1;                     ///< the size of the default mesh [all: ranks]
  /// The numbers that the host read from tensors, in order. A run records them. A plan that is given a run's numbers
  /// follows the same control flow. Null: no recording.
  std::shared_ptr<std::vector<double>> reads = nullptr;
  /// The parsed scripts and modules. Copies share them, so a script that is checked and then run is parsed once.
  std::shared_ptr<syntax::ParsedScripts> parsed = std::make_shared<syntax::ParsedScripts>();
  bool at_terminal =
      false;  ///< output goes to a terminal: control characters in it, which may come from files, are escaped
  bool check_finite = false;  ///< --check-finite: a run ends at the first NaN or infinity that finite numbers make
  bool runs_next = false;     ///< a run follows the check: the check already reports what the run would find in files
};

}  // namespace mtf::eval
