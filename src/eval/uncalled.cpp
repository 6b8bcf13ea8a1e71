#include "eval/uncalled.h"

#include <algorithm>

#include "eval/builtins.h"
#include "eval/findings.h"
#include "eval/name_lookup.h"

namespace mtf::eval {
namespace {

/// Checks that each name that an uncalled function captures is declared or an operation. Evaluates nothing.
class NameCheck {
 public:
  /// `scope` is the scope that declares the function, in its state at the end of the program.
  NameCheck(NameLookup& known, Builtins& builtins, Findings& findings, Scope& scope)
      : known_(known), builtins_(builtins), findings_(findings), scope_(scope) {}

  void check(const ast::FunctionFacts& function) const {
    for (const ast::ModelStmt* model : function.models) refuse_equal_paths(*model);
    for (const ast::CapturedRead& read : function.reads) {
      const auto found = scope_.find(read.name);
      const HostValue* const value = found.binding ? &found.binding->value : builtins_.find(read.name);
      if (!value && read.name != Name("init")) unknown(read, function);
      if (value && value->is<ModulePtr>() && read.part) check_part(*value, *read.part);
    }
  }

 private:
  void unknown(const ast::CapturedRead& read, const ast::FunctionFacts& function) const {
    std::vector<std::string> names = known_.visible_names(&scope_);
    for (const Name name : function.bound_at(read)) names.push_back(name.str());
    findings_.report(Diagnostic(Kind::unknown_name, read.span,
                                fmt::format("`{}` is neither declared nor an operation", read.name.text()))
                         .help(known_.help_with_name(read.name, read.span, names)));
  }
  void check_part(const HostValue& module, const ast::Ident& part) const {
    try {
      known_.attribute(module, part);
    } catch (const UserError& error) { findings_.report(error.diagnostic()); }
  }
  void refuse_equal_paths(const ast::ModelStmt& model) const {
    std::unordered_map<Name, Span> variables;
    for (const ast::Stmt& stmt : model.body.statements) {
      auto* variable = stmt.as<ast::ParamStmt>();
      if (!variable) continue;
      const auto [earlier, is_new] = variables.emplace(variable->name.name, variable->name.span);
      if (is_new) continue;
      findings_.report(Diagnostic(Kind::duplicate_declaration, variable->name.span,
                                  fmt::format("`{}` would have the path of another", variable->name.name.text()))
                           .related(earlier->second, "declared here"));
    }
  }

  NameLookup& known_;
  Builtins& builtins_;
  Findings& findings_;
  Scope& scope_;
};

}  // namespace

void UncalledFunctions::check_names(NameLookup& names, Builtins& builtins, Findings& findings) {
  for (const FunctionPtr& function : functions_)
    if (function->reached && called_.insert(function->signature).second)
      NameCheck(names, builtins, findings, *function->scope).check(**function->text.facts);
  for (const ModelClassPtr& model : models_)
    if (model->reached && called_.insert(model->declaration).second)
      NameCheck(names, builtins, findings, *model->scope).check(*model->declaration->facts);
}

}  // namespace mtf::eval
