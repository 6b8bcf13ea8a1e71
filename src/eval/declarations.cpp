#include "eval/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "eval/evaluator.h"
#include "eval/span_table.h"
#include "support/overloaded.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

/// The largest size of a dim: products of two still fit.
constexpr int64_t kMaxSize = int64_t{1} << 48;
/// The largest seed. A seed is stored in the graph as a double, and larger seeds would not be distinct.
constexpr int64_t kMaxSeed = int64_t{1} << 53;

/// True for the scope of a file (the program's or a module's), but not of a block in a file.
bool is_of_file(const Evaluator& evaluator, const Scope& scope) {
  return &scope == evaluator.top().get() || !scope.parent || scope.parent == evaluator.builtins.of_standard_modules();
}

}  // namespace

void declare(Evaluator& evaluator, const ast::DimStmt& stmt, const ScopePtr& scope) {
  std::optional<UserError> first;
  for (const auto& item : stmt.items) {
    try {
      HostValue value = evaluator.evaluate(*item.size, scope);
      if (value.is_poison()) {
        scope->bind(item.name.name, HostValue(value), item.name.span);
        continue;
      }
      Span span = item.size->span;
      if (is_of_file(evaluator, *scope)) {
        value = evaluator.options.value(evaluator.modules.prefix() + item.name.name.str(), std::move(value), Dim{},
                                        item.span);
      }
      if (tensor_of(value) || unknown_kind(value) == UnknownKind::kTensor)
        fail(Diagnostic(
                 Kind::size_unknown, span,
                 fmt::format("the size of `{}` would be a tensor's number, which is only known when the program runs",
                             item.name.name.text()))
                 .help(fmt::format("`int({})` reads it", span.text())));
      auto size = evaluator.convert.to_int(value, span, "the size of a dimension");
      evaluator.meshes.declare_dim(item.name.name);
      if (!size) {
        scope->bind(item.name.name, unknown(UnknownKind::kAny), item.name.span);
        continue;
      }
      if (*size < 1) fail(Kind::bad_size, span, "expected at least 1, found {}", *size);
      if (*size > kMaxSize) fail(Kind::size_overflow, span, "expected at most 2^48, found {}", *size);
      scope->bind(item.name.name, Dim{item.dim, *size}, item.name.span);
    } catch (const UserError& error) {
      scope->bind(item.name.name, Poison{}, item.name.span);
      if (!evaluator.findings.collects()) throw;
      if (first) evaluator.calls.report(*first);
      first = error;
    }
  }
  if (first) throw UserError(*first);
}

namespace {

/// Makes a mesh named `name`, declared at `span`, from a literal. Null if an axis has a poisoned size.
MeshPtr mesh_of(Evaluator& evaluator, Name name, Span span, const ast::MeshLiteral& literal, const ScopePtr& scope) {
  if (literal.axes.size() > static_cast<size_t>(kMaxAxes))
    fail(Kind::bad_mesh, span, "expected at most {} axes, found {}", kMaxAxes, literal.axes.size());
  std::vector<Axis> axes;
  double total = 1;
  for (const auto& axis : literal.axes) {
    HostValue value = evaluator.evaluate(*axis.size, scope);
    if (value.is_poison()) return nullptr;
    auto size = evaluator.convert.to_int(value, axis.size->span, "the size of an axis");
    if (!size)
      fail(Kind::size_unknown, axis.size->span, "the size of `{}` is only known when the program runs",
           axis.name.name.text());
    if (*size < 1) fail(Kind::bad_mesh, axis.size->span, "expected at least 1, found {}", *size);
    for (const Axis& other : axes) {
      if (other.name == axis.name.name)
        fail(Kind::duplicate_name, axis.name.span, "`{}` is an axis of this mesh already", axis.name.name.text());
    }
    axes.push_back({axis.name.name, *size});
    evaluator.meshes.declare_axis(axis.name.name);
    total *= static_cast<double>(*size);
  }
  if (total > 1e12) fail(Kind::bad_mesh, span, "this mesh has {:g} processors", total);
  return std::make_shared<const Mesh>(name, std::move(axes));
}

std::vector<LayoutRule> rules_of(const std::vector<ast::LayoutRule>& written) {
  std::vector<LayoutRule> rules;
  std::unordered_map<Name, Span> ruled;
  for (const ast::LayoutRule& rule : written) {
    if (const auto [other, fresh] = ruled.emplace(rule.dim.name, rule.span); !fresh)
      fail(Diagnostic(Kind::duplicate_name, rule.dim.span, fmt::format("`{}` has a rule already", rule.dim.name.text()))
               .related(other->second, "here"));
    LayoutRule made{rule.dim.name, {}, rule.span};
    std::unordered_set<Name> axes;
    for (const ast::Ident& axis : rule.axes) {
      if (!axes.insert(axis.name).second)
        fail(Kind::bad_layout, axis.span, "`{}` stands twice in one rule", axis.name.text());
      made.axes.push_back(axis.name);
    }
    rules.push_back(std::move(made));
  }
  return rules;
}

LayoutPtr layout_of(Name name, const ast::LayoutLiteral& literal) {
  auto layout = std::make_shared<Layout>();
  layout->name = name;
  layout->span = literal.span;
  layout->rules = rules_of(literal.rules);
  for (const ast::PathRule& rule : literal.by_path)
    layout->by_path.push_back({rule.of, rule.path, rules_of(rule.rules), rule.span});
  return layout;
}

void put_in_force(Evaluator& evaluator, const MeshPtr& mesh) {
  if (!evaluator.settings.mesh) evaluator.builder.context.mesh = mesh;
}

void put_in_force(Evaluator& evaluator, const LayoutPtr& layout) {
  if (!evaluator.settings.layout) evaluator.builder.context.layout = layout;
}

}  // namespace

void declare(Evaluator& evaluator, const ast::MeshStmt& stmt, const ScopePtr& scope) {
  const MeshPtr mesh = mesh_of(evaluator, stmt.name.name, stmt.name.span, stmt.mesh, scope);
  if (!mesh) return scope->bind(stmt.name.name, Poison{}, stmt.name.span);
  scope->bind(stmt.name.name, mesh, stmt.name.span);
  put_in_force(evaluator, mesh);
}

void declare(Evaluator& evaluator, const ast::LayoutStmt& stmt, const ScopePtr& scope) {
  const LayoutPtr layout = layout_of(stmt.name.name, stmt.layout);
  scope->bind(stmt.name.name, layout, stmt.name.span);
  evaluator.meshes.declare_layout(layout);
  put_in_force(evaluator, layout);
}

std::optional<InForce> in_force(Evaluator& evaluator, const ast::UseStmt& stmt, const ScopePtr& scope, Used wanted) {
  if (auto* literal = std::get_if<ast::MeshLiteral>(&stmt.what)) {
    const MeshPtr mesh = mesh_of(evaluator, Name("mesh"), literal->span, *literal, scope);
    return mesh ? std::optional(InForce{mesh, literal->span}) : std::nullopt;
  }
  if (auto* literal = std::get_if<ast::LayoutLiteral>(&stmt.what)) {
    const LayoutPtr layout = layout_of(Name("layout"), *literal);
    evaluator.meshes.declare_layout(layout);
    return InForce{layout, literal->span};
  }
  const ast::Expr& named = *std::get<ast::ExprPtr>(stmt.what);
  const HostValue value = evaluator.evaluate(named, scope);
  if (!value.is_known()) return std::nullopt;
  auto* mesh = wanted == Used::kLayout ? nullptr : value.as<MeshPtr>();
  auto* layout = wanted == Used::kMesh ? nullptr : value.as<LayoutPtr>();
  if (mesh) return InForce{*mesh, named.span};
  if (layout) return InForce{*layout, named.span};
  const std::string_view expected = wanted == Used::kMesh     ? "a mesh"
                                    : wanted == Used::kLayout ? "a layout"
                                                              : "a mesh or a layout";
  fail(Kind::type_mismatch, named.span, "expected {}, found {}", expected, describe(value));
}

void use(Evaluator& evaluator, const InForce& what) {
  if (auto* mesh = std::get_if<MeshPtr>(&what.what)) {
    for (const Axis& axis : (*mesh)->axes()) evaluator.meshes.declare_axis(axis.name);
    put_in_force(evaluator, *mesh);
  } else {
    put_in_force(evaluator, std::get<LayoutPtr>(what.what));
  }
}

void use(Evaluator& evaluator, const ast::UseStmt& stmt, const ScopePtr& scope, Used wanted) {
  if (const std::optional<InForce> what = in_force(evaluator, stmt, scope, wanted)) use(evaluator, *what);
}

namespace {

/// Returns the value that the command line gives for a new name, or else `value`.
HostValue given_value(Evaluator& evaluator, const ast::Ident& name, const ast::Expr& value, const ScopePtr& scope) {
  const HostValue declared = evaluator.evaluate(value, scope);
  return evaluator.options.value(evaluator.modules.prefix() + name.name.str(), declared, declared, name.span);
}

}  // namespace

void declare(Evaluator& evaluator, const ast::OptionStmt& stmt, const ScopePtr& scope) {
  scope->bind(stmt.name.name, given_value(evaluator, stmt.name, *stmt.value, scope), stmt.name.span);
}

void declare(Evaluator& evaluator, const ast::SettingStmt& stmt, const ScopePtr& scope) {
  scope->bind(stmt.name.name, given_value(evaluator, stmt.name, *stmt.value, scope), stmt.name.span);
  scope->bindings.back().is_setting = true;
}

void set_seed(Evaluator& evaluator, const ast::SeedStmt& stmt, const ScopePtr& scope) {
  const HostValue value = evaluator.evaluate(*stmt.value, scope);
  evaluator.cuts.refuse_in_iteration(stmt.value->span, "`seed`");
  if (value.is_poison()) return;
  const int64_t seed = evaluator.convert.to_int(value, stmt.value->span, "a seed").value_or(0);
  if (seed < -kMaxSeed || seed > kMaxSeed)
    fail(Kind::bad_value, stmt.value->span, "expected a number from -2^53 to 2^53, found {}", seed);
  evaluator.builder.context.seed = static_cast<double>(seed);
  evaluator.builder.context.random_calls = 0;
}

void set_precision(Evaluator& evaluator, const ast::PrecisionStmt& stmt) {
  constexpr std::pair<std::string_view, graph::Precision> kWords[] = {
      {"f32", graph::Precision::kF32}, {"bf16", graph::Precision::kBf16}, {"mixed", graph::Precision::kMixed}};
  const std::string_view word = stmt.word.name.text();
  const auto* meant =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const auto& known) { return known.first == word; });
  if (meant == std::end(kWords)) fail(Kind::bad_value, stmt.word.span, "expected f32, bf16 or mixed, found {}", word);
  evaluator.builder.context.precision = meant->second;
}

// ---- `with` ---------------------------------------------------------------------------------------------------------

namespace {

/// Changes a setting while it lives. Scopes only add bindings, so the index of the binding stays valid.
class Changed {
 public:
  Changed(Binding& binding, Scope& scope, HostValue value)
      : scope_(scope.shared_from_this()),
        index_(static_cast<size_t>(&binding - scope.bindings.data())),
        before_(std::exchange(binding.value, std::move(value))) {}
  ~Changed() { scope_->bindings[index_].value = std::move(before_); }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

 private:
  ScopePtr scope_;
  size_t index_;
  HostValue before_;
};

/// Finds the binding that a path of names means, in the scope or in a module; nothing if it is unknown.
Scope::Found find(Evaluator& evaluator, const ast::Expr& target, const ScopePtr& scope) {
  if (auto* name = target.as<ast::NameExpr>()) {
    evaluator.names.look_up(name->name, target.span, scope);  // fails with a suggestion
    return scope->find(name->name);
  }
  const auto& member = *target.as<ast::AttributeExpr>();
  const HostValue object = evaluator.evaluate(*member.object, scope);
  if (!object.is_known()) return {};
  evaluator.names.attribute(object, member.attribute);
  if (auto* module = object.as<ModulePtr>(); module && (*module)->scope)
    return {(*module)->scope->find_own(member.attribute.name), (*module)->scope.get()};
  return {};
}

/// Converts a value for a setting to the type of the setting's declared value, if that has a type.
HostValue converted(const Binding& setting, HostValue value, Span span) {
  const HostValue& declared = setting.value;
  if (auto* whole = value.as<int64_t>(); whole && unknown_kind(declared) == UnknownKind::kFloat)
    return static_cast<double>(*whole);
  const bool fits =
      declared.is<None>() || declared.is_poison() || value.is_poison() ||
      (declared.is<ListPtr>() ? value.is<ListPtr>()
                              : unknown_kind(declared) == unknown_kind(value) && may_be_of_one_type(declared, value));
  if (fits || (value.is_unknown() && may_be_of_one_type(declared, value))) return value;
  fail(Diagnostic(Kind::type_mismatch, span,
                  fmt::format("expected a value as that of `{}`, {}, found {}", setting.name.text(), describe(declared),
                              describe(value)))
           .related(setting.span, "declared here"));
}

Flow with_setting(Evaluator& evaluator, const ast::WithStmt::Setting& setting, const ast::Block& body,
                  const ScopePtr& scope) {
  const Scope::Found found = find(evaluator, *setting.target, scope);
  HostValue value = evaluator.evaluate(*setting.value, scope);
  std::optional<Changed> changed;
  if (found.binding && !found.binding->value.is_poison()) {
    if (!found.binding->is_setting) {
      fail(Diagnostic(Kind::type_mismatch, setting.target->span,
                      fmt::format("expected a setting, found {}", describe(found.binding->value)))
               .related(found.binding->span, "declared here")
               .help(fmt::format("`setting {} = …` at the top of its file declares one", found.binding->name.text())));
    }
    changed.emplace(*found.binding, *found.scope, converted(*found.binding, std::move(value), setting.value->span));
  } else if (!found.binding && !evaluator.evaluate(*setting.target, scope).is_poison()) {
    fail(Diagnostic(Kind::type_mismatch, setting.target->span, "expected a setting of this file or of a module")
             .help("`setting name = …` declares one"));
  }
  return evaluator.run_block(body, evaluator.nested(scope));
}

}  // namespace

Flow run_with(Evaluator& evaluator, const ast::WithStmt& stmt, const ScopePtr& scope) {
  auto& context = evaluator.builder.context;
  const auto run = [&] { return evaluator.run_block(stmt.body, evaluator.nested(scope)); };
  return std::visit(
      Overloaded{
          [&](const ast::WithStmt::Setting& setting) { return with_setting(evaluator, setting, stmt.body, scope); },
          [&](const ast::WithStmt::InForce& in_force) {
            std::optional<Restore<MeshPtr>> mesh;
            std::optional<Restore<LayoutPtr>> layout;
            if (in_force.is_mesh) mesh.emplace(context.mesh);
            else layout.emplace(context.layout);
            use(evaluator, in_force.what, scope, in_force.is_mesh ? Used::kMesh : Used::kLayout);
            return run();
          },
          [&](const ast::PrecisionStmt& precision) {
            const Restore before(context.precision);
            set_precision(evaluator, precision);
            return run();
          },
          [&](const ast::SeedStmt& seed) {
            const Restore before(context.seed);
            const Restore calls(context.random_calls);
            set_seed(evaluator, seed, scope);
            return run();
          },
      },
      stmt.what);
}

}  // namespace mtf::eval
