#include "session/known_names.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "eval/evaluator.h"
#include "eval/places.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/text.h"
#include "syntax/print.h"

namespace mtf {
namespace {

std::string signature_of_function(const Function& function) {
  std::string text = (function.name.empty() ? "fn" : function.name.str()) + "(";
  for (const ast::Parameter& parameter : *function.parameters) text += (text.back() == '(' ? "" : ", ") + std::string(parameter.span.text());
  text += ")";
  if (function.result && *function.result) text += " -> " + std::string(std::visit([](const auto& annotation) { return annotation.span; }, **function.result).text());
  return text;
}

/// What calls of a value look like: `fn f(x: [a]) -> [a]`; nothing if it cannot be called.
std::string signature_of(const HostValue& value) {
  if (const auto* function = value.as<FunctionPtr>()) return signature_of_function(**function);
  if (const auto* model = value.as<ModelClassPtr>()) return signature(*(*model)->declaration);
  if (const auto* op = value.as<OperationPtr>()) return std::string((*op)->signature);
  if (const auto* builtin = value.as<BuiltinPtr>()) return (*builtin)->signature;
  return {};
}

std::vector<KnownParameter> parameters_of(const std::vector<ast::Parameter>& declared) {
  std::vector<KnownParameter> parameters;
  for (const ast::Parameter& parameter : declared) parameters.push_back({parameter.name.name.str(), std::string(parameter.span.text())});
  return parameters;
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

std::vector<KnownParameter> parameters_of(std::string_view signature) {
  std::vector<KnownParameter> parameters;
  const size_t open = signature.find('(');
  if (open == std::string_view::npos) return parameters;
  int depth = 0;
  size_t begin = open + 1;
  for (size_t i = open; i < signature.size(); ++i) {
    const char letter = signature[i];
    if (letter == '(' || letter == '[' || letter == '{') ++depth;
    if (letter == ')' || letter == ']' || letter == '}') --depth;
    if ((letter != ',' || depth != 1) && depth != 0) continue;
    const std::string_view parameter = trim(signature.substr(begin, i - begin));
    const auto end = std::find_if(parameter.begin(), parameter.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; });
    const std::string name(parameter.begin(), end);
    const bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    if (is_name && (end == parameter.end() || *end == ':' || *end == ' ')) parameters.push_back({name, std::string(parameter)});
    begin = i + 1;
    if (depth == 0) break;
  }
  return parameters;
}

KnownName known(std::string name, const HostValue& value) {
  KnownName found{.name = std::move(name), .type = {}};
  if (!value.is<None>() && !value.is_poison()) found.type = type_of(value);
  found.signature = signature_of(value);
  if (const auto* function = value.as<FunctionPtr>()) {
    found.doc = (*function)->doc;
    found.parameters = parameters_of(*(*function)->parameters);
  } else if (const auto* model = value.as<ModelClassPtr>()) {
    found.doc = (*model)->doc;
    found.parameters = parameters_of((*model)->declaration->parameters);
  } else if (const auto* instance = value.as<InstancePtr>()) {
    found.doc = (*instance)->model->doc;
  } else {
    if (const auto* builtin = value.as<BuiltinPtr>()) found.doc = (*builtin)->doc;
    found.parameters = parameters_of(found.signature);
  }
  return found;
}

std::vector<KnownName> known_names(Evaluator& evaluator, const std::string& prefix) {
  std::vector<KnownName> found;
  const size_t dot = prefix.rfind('.');
  if (dot == std::string::npos) {
    add_scope(found, prefix, "", *evaluator.top());
    for (const std::string& name : evaluator.visible_names(evaluator.top().get())) {
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
        value = evaluator.look_up(name, {}, evaluator.top());
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
