#pragma once
// The dims, axes and paths that meshes and layouts of a program may name. Also checks that meshes fit the ranks and the
// placement.
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "eval/findings.h"
#include "eval/host_value.h"
#include "eval/settings.h"

namespace mtf::eval {

class Meshes {
 public:
  /// `settings` and the context of new tensors must outlive this.
  Meshes(const Settings& settings, const graph::Context& context, const Findings& findings)
      : settings_(settings), context_(context), findings_(findings) {}

  /// Adds the dims and axes that a program or module declares anywhere inside, even in code that is not evaluated.
  void declare_all(const ast::ProgramFacts& program);
  /// Adds the declarations of another program, which this program continues.
  void declare_all_of(const Meshes& other);
  void declare_dim(Name name) { dims_.insert(name); }
  void declare_axis(Name name) { axes_.insert(name); }
  /// Notes the path of a param or state, or of an instance that is called, and a layout, for the reports at the end of
  /// a check.
  void has_path(ByPath of, const std::string& path) {
    if (findings_.collects()) paths_.emplace(of, path);
  }
  void declare_layout(const LayoutPtr& layout) {
    if (findings_.collects()) layouts_.push_back(layout);
  }

  /// Called when a tensor is made under the mesh and the layout in force. Fails (mesh_too_small) at the first use of a
  /// mesh with fewer processors than ranks. A check reports this once and goes on. It also remembers which layouts were
  /// in force with which meshes.
  void check(Span span);
  /// Fails (unknown_axis) unless some mesh has the axis. Meshes of the program count even if they are not in force, as
  /// do the mesh of the command line and the axis `all`.
  void check_axis(const std::string& axis, Span span) const;

  /// Reports, at the end of a check, a `--placement` that fits no mesh.
  void report_placement(Findings& findings) const;
  /// Reports layouts that name undeclared dims, or paths that nothing in the program has. Also reports axes that no
  /// mesh in force with the layout had. If no tensor was made under the layout, the axes are compared with all meshes
  /// of the program.
  void report_layouts(Findings& findings) const;
  /// Warns about rules of a layout with axes that a mesh lacks. Gives no warnings if no mesh was declared yet.
  static std::vector<Diagnostic> lacking(const Mesh& mesh, const Layout& layout);

 private:
  /// An axis in a rule: the position of the rule, its dim, the axis. One text may make a layout many times.
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
  std::vector<LayoutPtr> layouts_;  ///< all declared layouts
  std::set<std::pair<ByPath, std::string>> paths_;
  /// For each axis of a layout in force: null if a mesh in force with it had the axis, else the first such mesh.
  std::map<NamedAxis, MeshPtr> met_;
  MeshPtr checked_;  ///< the mesh of the last check
  LayoutPtr layout_checked_;
  bool placement_fits_ = false;  ///< a used mesh has as many processors as the placement
  std::string unplaced_;         ///< the first used mesh with another number of processors
};

}  // namespace mtf::eval
