#include "eval/variables_below.h"

#include <fmt/format.h>

#include <string>
#include <unordered_set>

#include "eval/possible_values.h"
#include "eval/scope.h"

namespace mtf::eval {
namespace {

/// Visits every Variable below a value, depth first in the order of declaration. Each instance and list is entered
/// once. `visit` gets the path of the Variable and the offset of the path's last part.
class VariableWalk {
 public:
  template <typename Visit>
  void over(const HostValue& value, const Visit& visit) {
    enter(value, visit);
    while (!levels_.empty()) {
      Level& level = levels_.back();
      const size_t count = level.bindings ? level.bindings->size() : level.items->size();
      path_.resize(level.path);
      last_ = level.last;
      if (level.next == count) {
        levels_.pop_back();
        continue;
      }
      const size_t i = level.next++;
      if (level.bindings) {
        const Binding& binding = (*level.bindings)[i];
        if (!path_.empty()) path_ += '.';
        last_ = path_.size();
        path_ += binding.name.text();
        enter(binding.value, visit);
      } else {
        path_ += fmt::format("[{}]", i);
        enter((*level.items)[i], visit);
      }
    }
  }
  size_t steps() const { return seen_.size(); }
  /// True if the visited Variable is an item of a list.
  bool is_in_list() const { return levels_.back().items != nullptr; }
  /// False if there may be more below the value that only a run knows.
  bool knows_all() const { return all_known_; }

 private:
  struct Level {
    const std::vector<Binding>* bindings;  ///< of an instance; null for a list
    const std::vector<HostValue>* items;   ///< of a list; null for an instance
    size_t path;                           ///< the length of the level's path
    size_t last;                           ///< the offset of the last part of this path
    size_t next = 0;
  };

  template <typename Visit>
  void enter(const HostValue& value, const Visit& visit) {
    if (auto* variable = value.as<VariablePtr>()) {
      if (seen_.insert(variable->get()).second) visit(*variable, path_, last_);
    } else if (auto* instance = value.as<InstancePtr>()) {
      if (seen_.insert(instance->get()).second)
        levels_.push_back({&(*instance)->scope->bindings, nullptr, path_.size(), last_});
    } else if (auto* list = value.as<ListPtr>()) {
      if (seen_.insert(list->get()).second) levels_.push_back({nullptr, &(*list)->items, path_.size(), last_});
    } else if (value.is_poison() || (value.is_unknown() && may_be_none(value))) {
      all_known_ = false;
    }
  }

  bool all_known_ = true;
  std::string path_;
  size_t last_ = 0;  ///< the offset of the last part of `path_`
  std::vector<Level> levels_;
  std::unordered_set<const void*> seen_;
};

}  // namespace

HoldsVariables holds_variables(const HostValue& value) {
  if (value.is<InstancePtr>()) return HoldsVariables::kYes;
  if (!value.is<ListPtr>()) return HoldsVariables::kNo;
  bool all_known = true;
  const bool has_other = has_item(value, [&](const HostValue& item) {
    all_known = all_known && !item.is_unknown() && !item.is_poison();
    return !item.is<InstancePtr>() && !item.is<VariablePtr>() && !item.is<None>() && !item.is_unknown() &&
           !item.is_poison();
  });
  if (has_other) return HoldsVariables::kNo;
  return all_known ? HoldsVariables::kYes : HoldsVariables::kUnknown;
}

std::vector<VariablePtr> variables_below(const HostValue& value, bool trainable, bool* all_known) {
  std::vector<VariablePtr> variables;
  VariableWalk walk;
  walk.over(value, [&](const VariablePtr& variable, const std::string&, size_t) {
    if (variable->trainable == trainable) variables.push_back(variable);
  });
  if (all_known != nullptr) *all_known = walk.knows_all();
  return variables;
}

std::vector<std::pair<VariablePtr, std::string>> paths_of(const HostValue& value, bool trainable) {
  std::vector<std::pair<VariablePtr, std::string>> variables;
  VariableWalk().over(value, [&](const VariablePtr& variable, const std::string& path, size_t) {
    if (variable->trainable == trainable) variables.emplace_back(variable, path);
  });
  return variables;
}

size_t name_variables(const InstancePtr& instance, int64_t first) {
  struct Earlier {
    VariablePtr variable;
    std::string path;  ///< from the instance
  };
  std::vector<Earlier> earlier;
  VariableWalk walk;
  walk.over(instance, [&](const VariablePtr& variable, const std::string& path, size_t last) {
    if (variable->serial <= first) {
      if (!walk.is_in_list()) earlier.push_back({variable, path});
      return;
    }
    variable->path = path;
    variable->name = path.substr(last);
    variable->current.value().node->name = Name(path);
  });
  if (earlier.empty()) return walk.steps();
  std::unordered_set<std::string> taken;
  VariableWalk().over(instance, [&](const VariablePtr& variable, const std::string& path, size_t) {
    if (variable->serial > first) taken.insert(path);
  });
  for (const Earlier& each : earlier) {
    if (taken.insert(each.variable->path).second) continue;
    std::string path = each.path;
    while (!taken.insert(path).second) path += '\'';
    each.variable->path = path;
    each.variable->current.value().node->name = Name(path);
  }
  return walk.steps();
}

}  // namespace mtf::eval
