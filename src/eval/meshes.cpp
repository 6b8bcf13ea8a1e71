#include "eval/meshes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "support/text.h"
#include "syntax/walk.h"

namespace mtf::eval {

void Meshes::declare_all(const ast::ProgramFacts& program) {
  dims_.insert(program.dims.begin(), program.dims.end());
  axes_.insert(program.axes.begin(), program.axes.end());
}

void Meshes::check(Span span) {
  const MeshPtr& mesh = context_.mesh;
  const LayoutPtr& layout = context_.layout;
  const bool is_check = findings_.collects();
  if (mesh == checked_ && layout == layout_checked_) return;
  if (is_check && layout) {
    layout->each_rule([&](const LayoutRule& rule) {
      for (Name axis : rule.axes) {
        const auto [met, is_new] = met_.try_emplace(named(rule, axis), mesh);
        if (mesh->find(axis) >= 0) met->second = nullptr;
      }
    });
  }
  layout_checked_ = layout;
  if (mesh == checked_) return;
  if (mesh->size() < settings_.ranks) {
    if (is_check) checked_ = mesh;  // report it only once
    fail(Diagnostic(Kind::mesh_too_small, span,
                    fmt::format("the mesh {} has {}, found {}", to_string(*mesh),
                                mtf::count_text(mesh->size(), "processor"), mtf::count_text(settings_.ranks, "rank")))
             .help(fmt::format("start at most {} with mpirun, or declare a larger mesh",
                               mtf::count_text(mesh->size(), "rank"))));
  }
  if (settings_.placement.fits(*mesh)) placement_fits_ = true;
  else if (unplaced_.empty()) unplaced_ = to_string(*mesh);
  checked_ = mesh;
}

void Meshes::declare_all_of(const Meshes& other) {
  dims_.insert(other.dims_.begin(), other.dims_.end());
  for (const std::string& axis : other.all_axes()) axes_.insert(Name(axis));
}

std::vector<std::string> Meshes::all_axes() const {
  std::vector<std::string> names = {"all"};
  for (Name name : axes_) names.push_back(name.str());
  if (settings_.mesh)
    for (const Axis& each : *settings_.mesh) names.push_back(each.name.str());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void Meshes::check_axis(const std::string& axis, Span span) const {
  const std::vector<std::string> names = all_axes();
  if (std::find(names.begin(), names.end(), axis) != names.end()) return;
  fail(Diagnostic(Kind::unknown_axis, span,
                  fmt::format("no mesh of the program or the command line has an axis {}", code(axis)))
           .help(mtf::did_you_mean(span, axis, names)));
}

void Meshes::report_placement(Findings& findings) const {
  if (settings_.placement.empty() || placement_fits_ || unplaced_.empty()) return;
  findings.report(Diagnostic(Kind::bad_option_value, {}, settings_.placement.misfit(unplaced_))
                      .help("give as many numbers as the mesh, or each of these axes, has processors"));
}

namespace {

/// A warning: `mesh` lacks an axis that a rule names. If `mesh` is null, all meshes lack it.
Diagnostic lacks(const Mesh* mesh, const LayoutRule& rule, Name axis, std::vector<std::string> axes) {
  const std::string of_rule =
      rule.span.is_known() ? "" : fmt::format("--layout: {} -> {}: ", rule.dim.text(), axis.text());
  const std::string who =
      mesh == nullptr ? "no mesh of the program has" : fmt::format("the mesh {} has no", to_string(*mesh));
  std::string help = mtf::did_you_mean(axis.text(), axes);
  if (help.empty()) help = "there are the axes " + mtf::join(axes, ", ");
  return Diagnostic(Kind::layout_axis_unused, rule.span,
                    fmt::format("{}{} {} {}", of_rule, who, mesh == nullptr ? "an axis" : "axis", code(axis.text())))
      .help(help);
}

/// Removes the indices from a path or a pattern, because one walk of a loop in a check may stand for several instances.
std::string any_place(std::string_view path) {
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) {
    text += path[i];
    if (path[i] != '[') continue;
    while (i + 1 < path.size() && path[i + 1] >= '0' && path[i + 1] <= '9') ++i;
  }
  return text;
}

std::vector<std::string> axes_of(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const Axis& axis : mesh.axes()) names.push_back(axis.name.str());
  return names;
}

}  // namespace

std::vector<Diagnostic> Meshes::lacking(const Mesh& mesh, const Layout& layout) {
  std::vector<Diagnostic> found;
  if (mesh.name().empty()) return found;
  layout.each_rule([&](const LayoutRule& rule) {
    for (Name axis : rule.axes)
      if (mesh.find(axis) < 0) found.push_back(lacks(&mesh, rule, axis, axes_of(mesh)));
  });
  return found;
}

void Meshes::report_layouts(Findings& findings) const {
  std::vector<std::string> names;
  for (Name name : dims_) names.push_back(name.str());
  std::sort(names.begin(), names.end());
  const std::vector<std::string> axes = all_axes();
  std::set<NamedAxis> reported;
  const auto report = [&](const LayoutRule& rule) {
    if (!dims_.count(ast::without_primes({rule.dim, {}}).name)) {
      const std::string of_rule = rule.span.is_known() ? "" : "--layout: ";
      findings.report(Diagnostic(Kind::layout_dim_unused, rule.span,
                                 fmt::format("{}there is no dim `{}`", of_rule, rule.dim.text()))
                          .help(mtf::did_you_mean(rule.span, rule.dim.text(), names)));
    }
    for (Name axis : rule.axes) {
      if (!reported.insert(named(rule, axis)).second) continue;
      const auto met = met_.find(named(rule, axis));
      if (met != met_.end() && met->second)
        findings.report(lacks(met->second.get(), rule, axis, axes_of(*met->second)));
      const bool is_unknown =
          met == met_.end() && axes.size() > 1 && std::find(axes.begin(), axes.end(), axis.text()) == axes.end();
      if (is_unknown) findings.report(lacks(nullptr, rule, axis, axes));
    }
  };
  if (settings_.layout) settings_.layout->each_rule(report);
  if (settings_.layout) report_paths(*settings_.layout, findings);
  for (const LayoutPtr& layout : layouts_) {
    layout->each_rule(report);
    report_paths(*layout, findings);
  }
}

void Meshes::report_paths(const Layout& layout, Findings& findings) const {
  for (const PathRule& rule : layout.by_path) {
    std::vector<std::string> paths;
    for (const auto& [of, path] : paths_)
      if (of == rule.of) paths.push_back(path);
    const bool is_there = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
      return mtf::matches(path, rule.path) || mtf::matches(any_place(path), any_place(rule.path));
    });
    if (is_there) continue;
    const std::string of_rule = rule.span.is_known() ? "" : "--layout: ";
    const bool is_call = rule.of == ByPath::kValues;
    const std::string_view kind = is_call ? "instance" : rule.of == ByPath::kParams ? "param" : "state";
    Diagnostic diagnostic(
        Kind::layout_path_unused, rule.span,
        fmt::format("{}no {} {}has a path as {}", of_rule, kind, is_call ? "that is called " : "", quote(rule.path)));
    std::string help = mtf::did_you_mean(rule.path, paths);
    if (help.empty() && !paths.empty())
      help = fmt::format("{} {} has the path {}", is_call ? "an" : "a", kind, code(paths.front()));
    findings.report(diagnostic.help(help));
  }
}

}  // namespace mtf::eval
