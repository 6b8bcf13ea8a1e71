#pragma once
// The names that meshes and layouts of a program are made of, and whether they fit what the program is run on.
#include <string>
#include <vector>

#include "eval/block_info.h"
#include "eval/findings.h"
#include "eval/host_value.h"
#include "eval/settings.h"

namespace mtf {

class Meshes {
 public:
  /// `settings` live longer.
  explicit Meshes(const Settings& settings) : settings_(settings) {}

  /// What a program or module declares anywhere inside, also where it is not evaluated.
  void declare_all(const BlockInfo& program);
  void declare_dim(Name name) { dims_.insert(name); }
  void declare_axis(Name name) { axes_.insert(name); }
  void declare_layout(LayoutPtr layout) { layouts_.push_back(std::move(layout)); }

  /// Fails (mesh_too_small) at what is the first to use a mesh with fewer processors than there are ranks. A check that
  /// goes on says it once.
  void check(const MeshPtr& mesh, Span span, bool goes_on = false);
  /// Fails (unknown_axis) unless some mesh has the axis: one of the program, also where it is not in force, the command
  /// line's, or no mesh's `all`.
  void check_axis(const std::string& axis, Span span) const;

  /// At the end of a check: a `--placement` that fits no mesh.
  void report_placement(Findings& findings) const;
  /// And layouts that name dims which are declared nowhere.
  void report_layouts(Findings& findings) const;

 private:
  const Settings& settings_;
  NameSet dims_;
  NameSet axes_;
  std::vector<LayoutPtr> layouts_;  ///< that are declared
  const Mesh* checked_ = nullptr;   ///< the last that has been used
  bool placement_fits_ = false;     ///< a mesh that is used has as many processors as the placement
  std::string unplaced_;            ///< the first that has not
};

}  // namespace mtf
