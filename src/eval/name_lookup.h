#pragma once
// Looks up names, alone (`x`) and after a dot (`model.w`), and explains unknown ones.
#include <string>
#include <vector>

#include "eval/host_value.h"
#include "eval/scope.h"
#include "support/diagnostics.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Builtins;   // eval/builtins.h
class Modules;    // eval/modules.h
class Replays;    // eval/replays.h
class SpanTable;  // eval/span_table.h

class NameLookup {
 public:
  /// `top` is the outermost scope of the code that is evaluated now: the evaluator's own (`own_top`) or a module's.
  /// `spans` is the table that the evaluation fills now.
  NameLookup(Builtins& builtins, Modules& modules, Replays& replays, const ScopePtr& own_top, const ScopePtr& top,
             SpanTable* const& spans)
      : builtins_(builtins), modules_(modules), replays_(replays), own_top_(own_top), top_(top), spans_(spans) {}

  /// Returns the value of a name. Fails (unknown_name) with a suggestion.
  HostValue look_up(Name name, Span span, const ScopePtr& scope) {
    return looked_up(scope->find(name), name, span, scope);
  }
  [[gnu::always_inline]] HostValue look_up(const ast::NameExpr& expr, Span span, const ScopePtr& scope) {
    const Scope::Found found = scope->find(expr.name, expr.slot);
    if (found.binding && !found.binding->is_aside && !found.binding->is_iterations_number && !spans_) [[likely]]
      return found.binding->value;
    return looked_up(found, expr.name, span, scope);
  }
  /// Returns the value of `object.name`. Fails (unknown_attribute) with a list of the object's parts.
  HostValue attribute(const HostValue& object, const ast::Ident& name);
  /// Returns every name that an expression in the scope can use. Without a scope: the names that need no declaration.
  std::vector<std::string> visible_names(Scope* scope) const;
  /// Suggests a correction of a name at `span` that is not `visible`: it may be a standard module, or misspelt.
  Help help_with_name(Name name, Span span, const std::vector<std::string>& visible) const;

 private:
  HostValue looked_up(Scope::Found found, Name name, Span span, const ScopePtr& scope);

  Builtins& builtins_;
  Modules& modules_;
  Replays& replays_;
  const ScopePtr& own_top_;
  const ScopePtr& top_;
  SpanTable* const& spans_;
};

}  // namespace mtf::eval
