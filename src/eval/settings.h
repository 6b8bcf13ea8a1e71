#pragma once
// What whoever makes a session gives it: what the command line says, and what programs can call. It holds throughout,
// whatever the script declares.
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

namespace mtf::eval {

struct HostLibrary;  // eval/host_library.h

struct Settings {
  std::optional<std::vector<Axis>> mesh;                 ///< --mesh
  std::optional<Layout> layout;                          ///< --layout
  std::vector<std::pair<std::string, std::string>> set;  ///< --set name=value, `module.name` for a module's
  int64_t memory = 0;  ///< --memory: bytes that each processor has for a program and what it reads; 0: any
  std::vector<int64_t> placement = {};   ///< --placement, checked against the meshes
  std::string stdlib;                    ///< folder that replaces the standard library; empty: the built-in one
  const HostLibrary* library = nullptr;  ///< what programs can call besides the language; null: nothing
  int64_t ranks = 1;                     ///< the size of the default mesh [all: ranks]
  /// What the host read of tensors as numbers, in order: a run writes it down, and a plan that is given it knows what
  /// the run knew where control depends on it. Null: neither.
  std::shared_ptr<std::vector<double>> reads = nullptr;
  /// The scripts and modules that were parsed. Copies share it: what is checked and then run is parsed once.
  std::shared_ptr<syntax::ParsedScripts> parsed = std::make_shared<syntax::ParsedScripts>();
  bool at_terminal =
      false;  ///< what is printed goes there: control characters in it, which files may hold, are escaped
  bool check_finite = false;  ///< --check-finite: a run ends at the first NaN or infinity that finite numbers make
  bool runs_next = false;     ///< what is checked is run then: what the run would find of files is said before
};

}  // namespace mtf::eval
