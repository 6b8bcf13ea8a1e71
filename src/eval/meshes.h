#pragma once
// The names that meshes and layouts of a program are made of, and whether they fit what the program is run on.
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "eval/block_info.h"
#include "eval/findings.h"
#include "eval/host_value.h"
#include "eval/settings.h"

namespace mtf::eval {

class Meshes {
 public:
  /// `settings`, and the context in which tensors are made, live longer.
  Meshes(const Settings& settings, const graph::Context& context, const Findings& findings)
      : settings_(settings), context_(context), findings_(findings) {}

  /// What a program or module declares anywhere inside, also where it is not evaluated.
  void declare_all(const BlockInfo& program);
  /// What another program declares, in which this one's goes on.
  void declare_all_of(const Meshes& other);
  void declare_dim(Name name) { dims_.insert(name); }
  void declare_axis(Name name) { axes_.insert(name); }
  /// A param (`trainable`) or state of the program has this path.
  void has_path(bool trainable, const std::string& path) { paths_.emplace(trainable, path); }
  void declare_layout(LayoutPtr layout) { layouts_.push_back(std::move(layout)); }

  /// A tensor is made under the mesh and the layout in force. Fails (mesh_too_small) at what is the first to use a mesh
  /// with fewer processors than there are ranks. A check, which goes on, says it once, and remembers which layouts meet
  /// which meshes.
  void check(Span span);
  /// Fails (unknown_axis) unless some mesh has the axis: one of the program, also where it is not in force, the command
  /// line's, or no mesh's `all`.
  void check_axis(const std::string& axis, Span span) const;

  /// At the end of a check: a `--placement` that fits no mesh.
  void report_placement(Findings& findings) const;
  /// And layouts that name dims which are declared nowhere, paths that no param or state has, or axes that no mesh has
  /// with which they were in force. Of a layout under which no tensor was made: axes that no mesh of the program has.
  void report_layouts(Findings& findings) const;
  /// Warnings of the rules of a layout that name axes which a mesh lacks; none if no mesh was declared yet.
  static std::vector<Diagnostic> lacking(const Mesh& mesh, const Layout& layout);

 private:
  /// An axis that a rule names: where the rule stands, its dim, the axis. A layout may be made many times of one text.
  using NamedAxis = std::tuple<const SourceFile*, uint32_t, Name, Name>;
  static NamedAxis named(const LayoutRule& rule, Name axis) {
    return {rule.span.file, rule.span.begin, rule.dim, axis};
  }
  std::vector<std::string> all_axes() const;
  void report_paths(const Layout& layout, Findings& findings) const;

  const Settings& settings_;
  const graph::Context& context_;
  const Findings& findings_;
  NameSet dims_;
  NameSet axes_;
  std::vector<LayoutPtr> layouts_;  ///< that are declared
  std::set<std::pair<bool, std::string>> paths_;
  std::map<NamedAxis, MeshPtr>
      met_;          ///< of a layout in force: null if a mesh with it had the axis, else the first that was met
  MeshPtr checked_;  ///< the last that has been used
  LayoutPtr layout_checked_;
  bool placement_fits_ = false;  ///< a mesh that is used has as many processors as the placement
  std::string unplaced_;         ///< the first that has not
};

}  // namespace mtf::eval
