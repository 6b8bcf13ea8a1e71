#include "eval/with.h"

#include <optional>

#include "eval/declarations.h"
#include "eval/span_table.h"
#include "support/overloaded.h"

namespace mtf {
namespace {

/// A setting that has another value meanwhile. Scopes only add bindings, so its place in its scope stays.
class Changed {
 public:
  Changed(Binding& binding, Scope& scope, HostValue value)
      : scope_(scope.shared_from_this()), index_(static_cast<size_t>(&binding - scope.bindings.data())), before_(std::exchange(binding.value, std::move(value))) {}
  ~Changed() { scope_->bindings[index_].value = std::move(before_); }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

 private:
  ScopePtr scope_;
  size_t index_;
  HostValue before_;
};

/// The binding that a path of names stands for, in the scope or a module; nothing if that is not known.
Scope::Found find(Evaluator& evaluator, const ast::Expr& target, const ScopePtr& scope) {
  if (auto* name = target.as<ast::NameExpr>()) {
    evaluator.look_up(name->name, target.span, scope);  // fails with a suggestion
    return scope->find(name->name);
  }
  const auto& member = *target.as<ast::AttributeExpr>();
  const HostValue object = evaluator.evaluate(*member.object, scope);
  if (object.is_poison() || object.is_unknown()) return {};
  evaluator.attribute(object, member.attribute);
  if (auto* module = object.as<ModulePtr>(); module && (*module)->scope) return {(*module)->scope->find_own(member.attribute.name), (*module)->scope.get()};
  return {};
}

/// The value for a setting that was declared with one like `declared`: of its type, if that says anything.
HostValue converted(const Binding& setting, HostValue value, Span span) {
  const HostValue& declared = setting.value;
  if (auto* whole = value.as<int64_t>(); whole && unknown_kind(declared) == UnknownKind::kFloat) return static_cast<double>(*whole);
  const bool fits = declared.is<None>() || declared.is_poison() || value.is_poison() ||
                    (declared.is<ListPtr>() ? value.is<ListPtr>() : unknown_kind(declared) == unknown_kind(value) && merge(declared, value));
  if (fits || (value.is_unknown() && merge(declared, value))) return value;
  fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected a value as that of `{}`, {}, found {}", setting.name.text(), describe(declared), describe(value)))
           .related(setting.span, "declared here"));
}

Flow with_setting(Evaluator& evaluator, const ast::WithStmt::Setting& setting, const ast::Block& body, const ScopePtr& scope) {
  const Scope::Found found = find(evaluator, *setting.target, scope);
  HostValue value = evaluator.evaluate(*setting.value, scope);
  std::optional<Changed> changed;
  if (found.binding && !found.binding->value.is_poison()) {
    if (!found.binding->is_setting) {
      fail(Diagnostic(Kind::type_mismatch, setting.target->span, fmt::format("expected a setting, found {}", describe(found.binding->value)))
               .related(found.binding->span, "declared here")
               .help(fmt::format("`setting {} = …` at the top of its file declares one", found.binding->name.text())));
    }
    changed.emplace(*found.binding, *found.scope, converted(*found.binding, std::move(value), setting.value->span));
  } else if (!found.binding && !evaluator.evaluate(*setting.target, scope).is_poison()) {
    fail(Diagnostic(Kind::type_mismatch, setting.target->span, "expected a setting of this file or of a module").help("`setting name = …` declares one"));
  }
  return evaluator.run_block(body, evaluator.nested(scope));
}

}  // namespace

Flow run_with(Evaluator& evaluator, const ast::WithStmt& stmt, const ScopePtr& scope) {
  auto& context = evaluator.builder.context;
  const auto run = [&] { return evaluator.run_block(stmt.body, evaluator.nested(scope)); };
  return std::visit(Overloaded{
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

}  // namespace mtf
