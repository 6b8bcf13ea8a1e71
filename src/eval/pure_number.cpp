#include "eval/pure_number.h"

#include <algorithm>
#include <vector>

#include "eval/builtins.h"
#include "eval/scope.h"
#include "graph/op.h"
#include "support/overloaded.h"
#include "syntax/signature.h"

namespace mtf::eval {
namespace {

/// The greatest depth of nested calls that is examined. Deeper calls count as impure.
constexpr int kDeepest = 8;

bool is_plain(const HostValue& value) {
  return value.is<int64_t>() || value.is<double>() || value.is<bool>() || value.is<Dim>() || value.is<None>();
}

/// Checks an expression, or the body of a called function.
class PureNumber {
 public:
  PureNumber(Scope& scope, size_t limit, std::vector<Name> locals, Builtins& builtins, int depth)
      : scope_(scope), limit_(limit), locals_(std::move(locals)), builtins_(builtins), depth_(depth) {}

  bool is(const ast::Expr& expr) const {
    return std::visit(
        Overloaded{
            [](const ast::IntExpr&) { return true; },
            [](const ast::FloatExpr&) { return true; },
            [](const ast::BoolExpr&) { return true; },
            [](const ast::NoneExpr&) { return true; },
            [&](const ast::NameExpr& e) { return is_local(e.name) || names_a_number(e.name); },
            [&](const ast::UnaryExpr& e) { return is(*e.operand); },
            [&](const ast::BinaryExpr& e) { return is(*e.left) && is(*e.right); },
            [&](const ast::IfExpr& e) {
              return is(*e.otherwise) && std::all_of(e.branches.begin(), e.branches.end(), [&](const auto& branch) {
                       return is(*branch.condition) && is(*branch.value);
                     });
            },
            [&](const ast::CallExpr& e) {
              return std::all_of(e.arguments.begin(), e.arguments.end(),
                                 [&](const ast::Argument& each) { return !each.target && is(*each.value); }) &&
                     can_call(*e.callee);
            },
            [](const auto&) { return false; },
        },
        expr.node);
  }

 private:
  bool is_local(Name name) const { return std::find(locals_.begin(), locals_.end(), name) != locals_.end(); }
  bool names_a_number(Name name) const {
    const HostValue* const value = find(name);
    return value != nullptr && is_plain(*value);
  }
  const HostValue* find(Name name) const {
    if (const Binding* const binding = scope_.find(name, limit_).binding) return &binding->value;
    return builtins_.find(name);
  }
  /// Returns the value of a callee that is a name or a part of a module; null for any other callee.
  const HostValue* called(const ast::Expr& callee) const {
    if (auto* name = callee.as<ast::NameExpr>()) return is_local(name->name) ? nullptr : find(name->name);
    auto* part = callee.as<ast::AttributeExpr>();
    const HostValue* const object = part ? called(*part->object) : nullptr;
    auto* module = object ? object->as<ModulePtr>() : nullptr;
    if (!module || (*module)->is_operations) return nullptr;
    const Binding* const binding = (*module)->scope->find_own(part->attribute.name);
    return binding ? &binding->value : nullptr;
  }

  bool can_call(const ast::Expr& callee) const {
    const HostValue* const value = called(callee);
    if (value == nullptr) return false;
    if (auto* op = value->as<OperationPtr>()) return (*op)->host.of_one || (*op)->host.of_two;
    if (auto* builtin = value->as<BuiltinPtr>()) return (*builtin)->effects.none();
    auto* function = value->as<FunctionPtr>();
    return function && depth_ < kDeepest && is_made_of_numbers(**function);
  }
  bool is_made_of_numbers(const Function& function) const {
    PureNumber body(*function.scope, function.reached ? function.visible : ~size_t{0}, {}, builtins_, depth_ + 1);
    for (const ast::Parameter& parameter : function.signature->declared) {
      if (parameter.annotation && !std::holds_alternative<ast::WordAnnotation>(*parameter.annotation)) return false;
      if (parameter.default_value && !body.is(*parameter.default_value)) return false;
      body.locals_.push_back(parameter.name.name);
    }
    if (*function.result && !std::holds_alternative<ast::WordAnnotation>(**function.result)) return false;
    return function.expression ? body.is(*function.expression) : body.is(*function.block);
  }
  bool is(const ast::Block& block) {
    const size_t known = locals_.size();
    const bool all = are(block);
    locals_.resize(known);
    return all;
  }
  bool are(const ast::Block& block) {
    for (const ast::Stmt& stmt : block.statements) {
      if (auto* let = stmt.as<ast::LetStmt>()) {
        auto* name = std::get_if<ast::Ident>(&let->pattern->node);
        if (!name || let->annotation || !is(*let->value)) return false;
        locals_.push_back(name->name);
      } else if (auto* branch = stmt.as<ast::IfStmt>()) {
        for (const auto& [condition, body] : branch->branches)
          if (!is(*condition) || !is(body)) return false;
        if (branch->otherwise && !is(*branch->otherwise)) return false;
      } else {
        auto* returns = stmt.as<ast::ReturnStmt>();
        if (!returns || !returns->value || !is(*returns->value)) return false;
      }
    }
    return true;
  }

  Scope& scope_;
  size_t limit_;              ///< the number of visible bindings of `scope_`
  std::vector<Name> locals_;  ///< names of numbers: parameters, and names that the body binds
  Builtins& builtins_;
  int depth_;
};

}  // namespace

bool is_pure_number(const ast::Expr& expr, const ScopePtr& scope, std::vector<Name> numbers, Builtins& builtins) {
  return PureNumber(*scope, ~size_t{0}, std::move(numbers), builtins, 0).is(expr);
}

}  // namespace mtf::eval
