#include "eval/declarations.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "eval/evaluator.h"
#include "support/text.h"

namespace mtf {
namespace {

/// The largest size of a dim: products of two still fit.
constexpr int64_t kMaxSize = int64_t{1} << 48;

}  // namespace

void declare(Evaluator& evaluator, const ast::DimStmt& stmt, const ScopePtr& scope) {
  std::optional<UserError> first;
  for (const auto& item : stmt.items) {
    try {
      HostValue value = evaluator.evaluate(*item.size, scope);
      if (value.is_poison()) {
        scope->bind(item.name.name, value, item.name.span);
        continue;
      }
      Span span = item.size->span;
      if (scope == evaluator.top() && evaluator.calls.none_under_way() && evaluator.blocks.at_program_level()) {
        value = evaluator.options.value(item.name.name.str(), std::move(value), Dim{}, item.span);
      }
      auto size = evaluator.convert.to_int(value, span, "the size of a dimension");
      if (!size) fail(Kind::size_unknown, span, "the size of `{}` is only known when the program runs", item.name.name.text());
      if (*size < 1) fail(Kind::bad_size, span, "expected at least 1, found {}", *size);
      if (*size > kMaxSize) fail(Kind::size_overflow, span, "expected at most 2^48, found {}", *size);
      evaluator.meshes.declare_dim(item.name.name);
      scope->bind(item.name.name, Dim{item.name.name, *size}, item.name.span);
    } catch (const UserError& error) {
      scope->bind(item.name.name, Poison{}, item.name.span);
      if (!evaluator.findings.collects()) throw;
      if (first) evaluator.calls.report(*first);
      first = error;
    }
  }
  if (first) throw UserError(*first);
}

void declare(Evaluator& evaluator, const ast::MeshStmt& stmt, const ScopePtr& scope) {
  if (stmt.axes.size() > static_cast<size_t>(kMaxAxes)) fail(Kind::bad_mesh, stmt.name.span, "expected at most {} axes, found {}", kMaxAxes, stmt.axes.size());
  std::vector<Axis> axes;
  double total = 1;
  for (const auto& axis : stmt.axes) {
    HostValue value = evaluator.evaluate(*axis.size, scope);
    if (value.is_poison()) {
      scope->bind(stmt.name.name, value, stmt.name.span);
      return;
    }
    auto size = evaluator.convert.to_int(value, axis.size->span, "the size of an axis");
    if (!size) fail(Kind::size_unknown, axis.size->span, "the size of `{}` is only known when the program runs", axis.name.name.text());
    if (*size < 1) fail(Kind::bad_mesh, axis.size->span, "expected at least 1, found {}", *size);
    for (const Axis& other : axes) {
      if (other.name == axis.name.name) fail(Kind::duplicate_name, axis.name.span, "`{}` is an axis of this mesh already", axis.name.name.text());
    }
    axes.push_back({axis.name.name, *size});
    evaluator.meshes.declare_axis(axis.name.name);
    total *= static_cast<double>(*size);
  }
  if (total > 1e12) fail(Kind::bad_mesh, stmt.name.span, "this mesh has {:g} processors", total);
  auto mesh = std::make_shared<const Mesh>(stmt.name.name, std::move(axes));
  scope->bind(stmt.name.name, MeshPtr(mesh), stmt.name.span);
  if (!evaluator.settings.mesh) evaluator.builder.context.mesh = mesh;
}

void declare(Evaluator& evaluator, const ast::LayoutStmt& stmt, const ScopePtr& scope) {
  auto layout = std::make_shared<Layout>();
  layout->name = stmt.name.name;
  layout->span = stmt.layout.span;
  std::unordered_map<Name, Span> ruled;
  for (const ast::LayoutRule& rule : stmt.layout.rules) {
    if (const auto [other, fresh] = ruled.emplace(rule.dim.name, rule.span); !fresh)
      fail(Diagnostic(Kind::duplicate_name, rule.dim.span, fmt::format("`{}` has a rule already", rule.dim.name.text())).related(other->second, "here"));
    LayoutRule made{rule.dim.name, {}, rule.span};
    std::unordered_set<Name> axes;
    for (const ast::Ident& axis : rule.axes) {
      if (!axes.insert(axis.name).second) fail(Kind::bad_layout, axis.span, "`{}` stands twice in one rule", axis.name.text());
      made.axes.push_back(axis.name);
    }
    layout->rules.push_back(std::move(made));
  }
  scope->bind(stmt.name.name, LayoutPtr(layout), stmt.name.span);
  if (evaluator.domain.is_check()) evaluator.meshes.declare_layout(layout);
  if (!evaluator.settings.layout) evaluator.builder.context.layout = *layout;
}

void use(Evaluator& evaluator, const ast::UseStmt& stmt, const ScopePtr& scope) {
  HostValue value = evaluator.evaluate(*stmt.what, scope);
  if (value.is_poison() || value.is_unknown()) return;
  if (auto* mesh = value.as<MeshPtr>()) {
    if (!evaluator.settings.mesh) evaluator.builder.context.mesh = *mesh;
  } else if (auto* layout = value.as<LayoutPtr>()) {
    if (!evaluator.settings.layout) evaluator.builder.context.layout = **layout;
  } else {
    fail(Kind::type_mismatch, stmt.what->span, "expected a mesh or a layout, found {}", describe(value));
  }
}

void declare(Evaluator& evaluator, const ast::OptionStmt& stmt, const ScopePtr& scope) {
  const HostValue declared = evaluator.evaluate(*stmt.value, scope);
  const std::string name = evaluator.modules.prefix() + stmt.name.name.str();
  scope->bind(stmt.name.name, evaluator.options.value(name, declared, declared, stmt.name.span), stmt.name.span);
}

}  // namespace mtf
