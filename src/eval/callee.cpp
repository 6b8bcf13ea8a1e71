#include "eval/callee.h"

#include "eval/host_value.h"
#include "eval/scope.h"
#include "syntax/ast.h"

namespace mtf::eval {
namespace {

constexpr int kDeepestModel = 16;  // the deepest nesting of models in which a variable is searched

/// Returns the path of an instance, taken from the first variable of it or of an instance in it. Empty if there is no
/// variable.
std::string path_of(const Scope& instance, int depth = 0) {
  auto without = [](const std::string& path, std::string_view name) {
    const size_t dot = path.size() > name.size() ? path.size() - name.size() - 1 : 0;
    return path.ends_with(name) && path[dot] == '.' ? path.substr(0, dot) : std::string();
  };
  for (const Binding& binding : instance.bindings) {
    if (auto* variable = binding.value.as<VariablePtr>()) return without((*variable)->path, binding.name.text());
    if (auto* inner = binding.value.as<InstancePtr>(); inner && depth < kDeepestModel)
      if (const std::string path = path_of(*(*inner)->scope, depth + 1); !path.empty())
        return without(path, binding.name.text());
  }
  return {};
}

}  // namespace

bool is_call_of_model(const Function& function) {
  static const Name kCall("call");
  return function.name == kCall && function.scope && function.scope->model != nullptr;
}

Callee callee_of(const Function& function) {
  const std::string name = function.name.empty() ? "fn" : function.name.str();
  const ast::ModelStmt* model = function.scope ? function.scope->model : nullptr;
  if (model == nullptr) return {name, {}};
  return {model->name.name.str() + (is_call_of_model(function) ? "" : "." + name), path_of(*function.scope)};
}

}  // namespace mtf::eval
