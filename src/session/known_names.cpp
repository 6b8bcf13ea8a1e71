#include "session/known_names.h"

#include <algorithm>

#include "eval/evaluator.h"
#include "eval/places.h"
#include "graph/op.h"
#include "ops/registry.h"

namespace mtf {
namespace {

/// What calls of a value look like; null if it cannot be called.
const Signature* signature_of(const HostValue& value) {
  if (const auto* function = value.as<FunctionPtr>()) return (*function)->signature;
  if (const auto* model = value.as<ModelClassPtr>()) return (*model)->declaration->signature.get();
  if (const auto* op = value.as<OperationPtr>()) return (*op)->signature.empty() ? nullptr : &mtf::signature_of(**op);
  if (const auto* builtin = value.as<BuiltinPtr>()) return (*builtin)->signature;
  return nullptr;
}

void add(std::vector<KnownName>& found, const std::string& prefix, const std::string& name, const HostValue& value) {
  if (name.starts_with(prefix)) found.push_back(known(name, value));
}

void add_scope(std::vector<KnownName>& found, const std::string& prefix, const std::string& owner, const Scope& scope) {
  for (const std::vector<Binding>* bindings : {&scope.bindings, &scope.hoisted})
    for (auto binding = bindings->rbegin(); binding != bindings->rend(); ++binding) add(found, prefix, owner + binding->name.str(), binding->value);
}

// What `name` of a module or an instance is.
HostValue member(const HostValue& value, Name name) {
  const ScopePtr* scope = nullptr;
  if (const auto* module = value.as<ModulePtr>()) scope = &(*module)->scope;
  if (const auto* instance = value.as<InstancePtr>()) scope = &(*instance)->scope;
  const Binding* binding = scope != nullptr && *scope ? (*scope)->find_own(name) : nullptr;
  return binding != nullptr ? binding->value : HostValue();
}

void add_members(std::vector<KnownName>& found, const std::string& prefix, const std::string& owner, const HostValue& value) {
  std::vector<std::string> attributes;
  if (const auto* module = value.as<ModulePtr>()) {
    if ((*module)->scope) return add_scope(found, prefix, owner, *(*module)->scope);
    for (const Op* op : all_ops()) add(found, prefix, std::string(op->name), op);
  } else if (const auto* instance = value.as<InstancePtr>()) {
    add_scope(found, prefix, owner, *(*instance)->scope);
    attributes = {"params"};
  } else if (value.is<ListPtr>() && holds_places(value) == HoldsPlaces::kYes) {
    attributes = {"params", "states"};
  } else if (const auto* object = value.as<ObjectPtr>()) {
    attributes = (*object)->attributes();
  } else if (tensor_of(value) != nullptr) {
    attributes = {"shape", "element_type"};
    if (value.is<PlacePtr>()) attributes.insert(attributes.end(), {"path", "name", "dims", "model"});
  }
  for (const std::string& attribute : attributes)
    if ((owner + attribute).starts_with(prefix)) found.push_back({.name = owner + attribute, .type = {}});
}

}  // namespace

KnownName known(std::string name, const HostValue& value) {
  KnownName found{.name = std::move(name), .type = {}};
  if (!value.is<None>() && !value.is_poison()) found.type = type_of(value);
  if (const Signature* signature = signature_of(value)) found.signature = *signature;
  if (const auto* function = value.as<FunctionPtr>()) found.doc = (*function)->doc;
  if (const auto* model = value.as<ModelClassPtr>()) found.doc = (*model)->doc;
  if (const auto* instance = value.as<InstancePtr>()) found.doc = (*instance)->model->doc;
  if (const auto* builtin = value.as<BuiltinPtr>()) found.doc = (*builtin)->doc;
  return found;
}

std::vector<KnownName> known_names(Evaluator& evaluator, const std::string& prefix) {
  std::vector<KnownName> found;
  const size_t dot = prefix.rfind('.');
  if (dot == std::string::npos) {
    add_scope(found, prefix, "", *evaluator.top());
    for (const std::string& name : evaluator.names.visible_names(evaluator.top().get())) {
      if (!name.starts_with(prefix)) continue;
      const HostValue* const builtin = evaluator.builtins.find(Name(name));
      found.push_back(builtin != nullptr ? known(name, *builtin) : KnownName{.name = name, .type = {}});
    }
  } else {
    HostValue value;
    bool is_first = true;
    for (size_t begin = 0; begin <= dot;) {
      const size_t end = prefix.find('.', begin);
      const Name name(prefix.substr(begin, end - begin));
      if (!is_first) {
        value = member(value, name);
      } else if (name == Name("init") || name == Name("random")) {
        value = evaluator.names.look_up(name, {}, evaluator.top());
      } else if (auto binding = evaluator.top()->find(name).binding) {
        value = binding->value;
      }
      is_first = false;
      begin = end + 1;
    }
    add_members(found, prefix, prefix.substr(0, dot + 1), value);
  }
  std::stable_sort(found.begin(), found.end(), [](const KnownName& a, const KnownName& b) { return a.name < b.name; });
  found.erase(std::unique(found.begin(), found.end(), [](const KnownName& a, const KnownName& b) { return a.name == b.name; }), found.end());
  return found;
}

}  // namespace mtf
