#pragma once
// What names stand for, alone and behind a dot, and what to say of one that stands for nothing.
#include <string>
#include <vector>

#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Builtins;   // eval/builtins.h
class Modules;    // eval/modules.h
class Replays;    // eval/replays.h
class SpanTable;  // eval/span_table.h

class NameLookup {
 public:
  /// `top`: the outermost scope in which the evaluation stands now, its own or another's; `spans`: the table that it
  /// fills now.
  NameLookup(Builtins& builtins, Modules& modules, Replays& replays, const ScopePtr& own_top, const ScopePtr& top,
             SpanTable* const& spans)
      : builtins_(builtins), modules_(modules), replays_(replays), own_top_(own_top), top_(top), spans_(spans) {}

  /// What a name stands for. Fails (unknown_name) with a suggestion.
  HostValue look_up(Name name, Span span, const ScopePtr& scope);
  /// `object.name`. Fails (unknown_attribute) with what the object has.
  HostValue attribute(const HostValue& object, const ast::Ident& name);
  /// Every name that an expression in the scope could be; null: those that need no declaration.
  std::vector<std::string> visible_names(Scope* scope) const;
  /// What to do about a name at `span` that is not among the `visible`: it may be a standard module, or misspelt.
  Help help_with_name(Name name, Span span, const std::vector<std::string>& visible) const;

 private:
  Builtins& builtins_;
  Modules& modules_;
  Replays& replays_;
  const ScopePtr& own_top_;
  const ScopePtr& top_;
  SpanTable* const& spans_;
};

}  // namespace mtf::eval
