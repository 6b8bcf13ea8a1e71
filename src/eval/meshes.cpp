#include "eval/meshes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/text.h"

namespace mtf {

void Meshes::declare_all(const BlockInfo& program) {
  dims_.insert(program.dim_names.begin(), program.dim_names.end());
  axes_.insert(program.axis_names.begin(), program.axis_names.end());
}

void Meshes::check(const MeshPtr& used, Span span, bool goes_on) {
  const Mesh* mesh = used.get();
  if (mesh == checked_) return;
  if (mesh->size() < settings_.ranks) {
    if (goes_on) checked_ = mesh;  // said once is enough
    fail(Diagnostic(Kind::mesh_too_small, span, fmt::format("the mesh {} has {}, found {}", to_string(*mesh), count_text(mesh->size(), "processor"),
                                                            count_text(settings_.ranks, "rank")))
             .help(fmt::format("start at most {} with mpirun, or declare a larger mesh", count_text(mesh->size(), "rank"))));
  }
  if (static_cast<int64_t>(settings_.placement.size()) == mesh->size()) placement_fits_ = true;
  else if (unplaced_.empty()) unplaced_ = to_string(*mesh);
  checked_ = mesh;
}

void Meshes::check_axis(const std::string& axis, Span span) const {
  std::vector<std::string> names = {"all"};
  for (Name name : axes_) names.push_back(name.str());
  if (settings_.mesh)
    for (const Axis& each : *settings_.mesh) names.push_back(each.name.str());
  if (std::find(names.begin(), names.end(), axis) != names.end()) return;
  std::sort(names.begin(), names.end());
  fail(Diagnostic(Kind::unknown_axis, span, fmt::format("no mesh of the program or the command line has an axis {}", code(axis)))
           .help(did_you_mean(axis, names)));
}

void Meshes::report_placement(Findings& findings) const {
  if (settings_.placement.empty() || placement_fits_ || unplaced_.empty()) return;
  const std::string wrong = fmt::format("--placement \"{}\": expected every processor of the mesh {}, found {}", fmt::join(settings_.placement, ","),
                                        unplaced_, count_text(static_cast<int64_t>(settings_.placement.size()), "number"));
  findings.report(Diagnostic(Kind::bad_option_value, {}, wrong)
                       .help("give as many numbers as the mesh has processors"));
}

void Meshes::report_layouts(Findings& findings) const {
  std::vector<std::string> names;
  for (Name name : dims_) names.push_back(name.str());
  std::sort(names.begin(), names.end());
  for (const LayoutRule& rule : settings_.layout.value_or(std::vector<LayoutRule>())) {
    if (dims_.count(rule.dim)) continue;
    findings.report(Diagnostic(Kind::layout_dim_unused, {}, fmt::format("--layout: there is no dim `{}`", rule.dim.text()))
                         .help(did_you_mean(rule.dim.text(), names)));
  }
  for (const LayoutPtr& layout : layouts_) {
    for (const LayoutRule& rule : layout->rules) {
      if (dims_.count(rule.dim)) continue;
      findings.report(Diagnostic(Kind::layout_dim_unused, rule.span, fmt::format("there is no dim `{}`", rule.dim.text()))
                           .help(did_you_mean(rule.dim.text(), names)));
    }
  }
}

}  // namespace mtf
