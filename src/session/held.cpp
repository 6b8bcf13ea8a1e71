#include "session/held.h"

#include <algorithm>
#include <unordered_set>

#include "eval/host_value.h"
#include "eval/scope.h"
#include "eval/variables_below.h"
#include "kernels/element_type.h"
#include "types/saturating.h"

namespace mtf::session {
namespace {

HeldName described(Name name, const eval::HostValue& value) {
  HeldName held{name.str(), type_of(value)};
  if (const eval::LaidOut* tensor = held.type.tensor()) held.bytes = bytes_of_block(*tensor);
  if (value.is<eval::InstancePtr>())
    for (const HeldVariable& variable : held_variables(value)) held.bytes += variable.bytes;
  return held;
}

}  // namespace

std::vector<HeldName> held_names(const eval::Scope& scope) {
  std::vector<HeldName> names;
  std::unordered_set<std::string> seen;
  // If a name is bound several times, the last binding counts; hoisted functions come after all other bindings.
  for (const std::vector<eval::Binding>* bindings : {&scope.bindings, &scope.hoisted}) {
    std::vector<HeldName> of_these;
    for (auto binding = bindings->rbegin(); binding != bindings->rend(); ++binding)
      if (!binding->value.is<eval::None>() && !binding->value.is_poison() && seen.insert(binding->name.str()).second)
        of_these.push_back(described(binding->name, binding->value));
    names.insert(names.end(), of_these.rbegin(), of_these.rend());
  }
  return names;
}

namespace {

constexpr size_t kMostParts = 12;  // in a row; of more, only the first and the last are listed
constexpr int kDeepest = 8;

// The depth is limited, because lists may be nested arbitrarily deeply.
bool has_parts(const eval::HostValue& value, int depth = 0) {
  if (value.is<eval::InstancePtr>()) return true;
  auto* list = value.as<eval::ListPtr>();
  return list && depth < kDeepest &&
         std::any_of((*list)->items.begin(), (*list)->items.end(), [&](const eval::HostValue& item) {
           return tensor_of(item) || item.is<eval::FunctionPtr>() || item.is<eval::ObjectPtr>() ||
                  has_parts(item, depth + 1);
         });
}

void add_parts(std::vector<HeldPart>& parts, const eval::HostValue& value, int depth);

void add_part(std::vector<HeldPart>& parts, const std::string& name, const eval::HostValue& value, int depth) {
  parts.push_back({depth, name, type_of(value)});
  if (depth < kDeepest) add_parts(parts, value, depth + 1);
}

void add_parts(std::vector<HeldPart>& parts, const eval::HostValue& value, int depth) {
  if (!has_parts(value)) return;
  if (auto* instance = value.as<eval::InstancePtr>()) {
    for (const eval::Binding& binding : (*instance)->scope->bindings)
      if (binding.value.is<eval::VariablePtr>() || has_parts(binding.value))
        add_part(parts, binding.name.str(), binding.value, depth);
    return;
  }
  const std::vector<eval::HostValue>& items = (*value.as<eval::ListPtr>())->items;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items.size() > kMostParts && i == kMostParts / 2) {
      i = items.size() - kMostParts / 2;
      parts.push_back({.depth = depth, .are_left_out = true});
    }
    add_part(parts, "[" + std::to_string(i) + "]", items[i], depth);
  }
}

}  // namespace

std::vector<HeldPart> held_parts(const eval::HostValue& value) {
  std::vector<HeldPart> parts;
  add_parts(parts, value, 0);
  return parts;
}

std::vector<HeldVariable> held_variables(const eval::HostValue& value) {
  std::vector<HeldVariable> variables;
  for (const bool trainable : {true, false}) {
    for (const eval::VariablePtr& variable : variables_below(value, trainable)) {
      eval::LaidOut tensor{variable->type, variable->stored.sharding, variable->stored.mesh};
      const int64_t own = elements_of_block(tensor);
      variables.push_back({variable->path, trainable, std::move(tensor), size_of(variable->type.dims),
                           own * size_of(variable->type.element), own});
    }
  }
  return variables;
}

std::vector<std::pair<std::string, eval::LaidOut>> laid_out_in(const eval::HostValue& value) {
  if (const eval::ValueType type = type_of(value); type.tensor()) return {{"", *type.tensor()}};
  std::vector<std::pair<std::string, eval::LaidOut>> tensors;
  for (const auto& [variable, path] : paths_of(value, true))
    tensors.emplace_back(path, eval::LaidOut{variable->type, variable->stored.sharding, variable->stored.mesh});
  return tensors;
}

}  // namespace mtf::session
