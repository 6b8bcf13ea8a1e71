#include "session/known_names.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "eval/evaluator.h"
#include "eval/variables_below.h"
#include "graph/op.h"
#include "ops/registry.h"

namespace mtf::session {
namespace {

/// Returns the signature of a callable value, or null.
const syntax::Signature* signature_of(const eval::HostValue& value) {
  if (const auto* function = value.as<eval::FunctionPtr>()) return (*function)->signature;
  if (const auto* model = value.as<eval::ModelClassPtr>()) return (*model)->declaration->signature.get();
  if (const auto* op = value.as<eval::OperationPtr>())
    return (*op)->signature.empty() ? nullptr : &ops::signature_of(**op);
  if (const auto* builtin = value.as<eval::BuiltinPtr>()) return (*builtin)->signature;
  return nullptr;
}

void add(std::vector<KnownName>& found, const std::string& prefix, const std::string& name,
         const eval::HostValue& value) {
  if (name.starts_with(prefix)) found.push_back(known(name, value));
}

void add_scope(std::vector<KnownName>& found, const std::string& prefix, const std::string& owner,
               const eval::Scope& scope) {
  for (const std::vector<eval::Binding>* bindings : {&scope.bindings, &scope.hoisted})
    for (auto binding = bindings->rbegin(); binding != bindings->rend(); ++binding)
      add(found, prefix, owner + binding->name.str(), binding->value);
}

// Returns the member `name` of a module or an instance.
eval::HostValue member(const eval::HostValue& value, Name name) {
  const eval::ScopePtr* scope = nullptr;
  if (const auto* module = value.as<eval::ModulePtr>()) scope = &(*module)->scope;
  if (const auto* instance = value.as<eval::InstancePtr>()) scope = &(*instance)->scope;
  const eval::Binding* binding = scope != nullptr && *scope ? (*scope)->find_own(name) : nullptr;
  return binding != nullptr ? binding->value : eval::HostValue();
}

/// Returns the element of a list at the index that begins `text`; nothing if there is none.
eval::HostValue element(const eval::HostValue& value, std::string_view text) {
  const auto* list = value.as<eval::ListPtr>();
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  return list && error == std::errc() && index < (*list)->items.size() ? (*list)->items[index] : eval::HostValue();
}

void add_members(std::vector<KnownName>& found, const std::string& prefix, const std::string& owner,
                 const eval::HostValue& value) {
  std::vector<std::string> attributes;
  if (const auto* module = value.as<eval::ModulePtr>()) {
    if ((*module)->scope) return add_scope(found, prefix, owner, *(*module)->scope);
    for (const graph::Op* op : ops::all_ops()) add(found, prefix, std::string(op->name), op);
  } else if (const auto* instance = value.as<eval::InstancePtr>()) {
    add_scope(found, prefix, owner, *(*instance)->scope);
    attributes = {"params"};
  } else if (value.is<eval::ListPtr>() && holds_variables(value) == eval::HoldsVariables::kYes) {
    attributes = {"params", "states"};
  } else if (const auto* object = value.as<eval::ObjectPtr>()) {
    attributes = (*object)->attributes();
  } else if (tensor_of(value) != nullptr) {
    attributes = {"shape", "element_type"};
    if (value.is<eval::VariablePtr>())
      attributes.insert(attributes.end(), {"path", "name", "dims", "model", "declared", "start"});
  }
  for (const std::string& attribute : attributes)
    if ((owner + attribute).starts_with(prefix)) found.push_back({.name = owner + attribute, .type = {}});
}

}  // namespace

KnownName known(std::string name, const eval::HostValue& value) {
  KnownName found{.name = std::move(name), .type = {}};
  if (!value.is<eval::None>() && !value.is_poison()) found.type = type_of(value);
  if (const syntax::Signature* signature = signature_of(value)) found.signature = *signature;
  if (const auto* function = value.as<eval::FunctionPtr>()) found.doc = (*function)->doc;
  if (const auto* model = value.as<eval::ModelClassPtr>()) found.doc = (*model)->doc;
  if (const auto* instance = value.as<eval::InstancePtr>()) found.doc = (*instance)->model->doc;
  if (const auto* builtin = value.as<eval::BuiltinPtr>()) found.doc = (*builtin)->doc;
  return found;
}

std::vector<KnownName> known_names(eval::Evaluator& evaluator, const std::string& prefix) {
  std::vector<KnownName> found;
  const size_t dot = prefix.rfind('.');
  if (dot == std::string::npos) {
    add_scope(found, prefix, "", *evaluator.top());
    for (const std::string& name : evaluator.names.visible_names(evaluator.top().get())) {
      if (!name.starts_with(prefix)) continue;
      const eval::HostValue* const builtin = evaluator.builtins.find(Name(name));
      found.push_back(builtin != nullptr ? known(name, *builtin) : KnownName{.name = name, .type = {}});
    }
  } else {
    eval::HostValue value;
    bool is_first = true;
    for (size_t begin = 0; begin <= dot;) {
      const size_t end = prefix.find('.', begin);
      const std::string part = prefix.substr(begin, end - begin);
      const Name name(part.substr(0, part.find('[')));
      if (!is_first) {
        value = member(value, name);
      } else if (name == Name("init") || name == Name("random")) {
        value = evaluator.names.look_up(name, {}, evaluator.top());
      } else if (auto binding = evaluator.top()->find(name).binding) {
        value = binding->value;
      }
      for (size_t at = part.find('['); at != std::string::npos; at = part.find('[', at + 1))
        value = element(value, std::string_view(part).substr(at + 1));
      is_first = false;
      begin = end + 1;
    }
    add_members(found, prefix, prefix.substr(0, dot + 1), value);
  }
  std::stable_sort(found.begin(), found.end(), [](const KnownName& a, const KnownName& b) { return a.name < b.name; });
  found.erase(
      std::unique(found.begin(), found.end(), [](const KnownName& a, const KnownName& b) { return a.name == b.name; }),
      found.end());
  return found;
}

}  // namespace mtf::session
