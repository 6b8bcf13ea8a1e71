#pragma once
// The names that every program sees without declaring them: the functions of the evaluator itself, operations, `random`.
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eval/host_value.h"
#include "eval/scope.h"

namespace mtf {

class Builtins {
 public:
  Builtins();
  ~Builtins();
  Builtins(const Builtins&) = delete;
  Builtins& operator=(const Builtins&) = delete;

  /// What a name stands for that nothing declares; null if there is no such thing.
  const HostValue* find(Name name);
  bool knows(Name name) const;
  /// Adds one.
  void add(Name name, HostValue value) { values_[name] = std::move(value); }
  /// Every name, those of operations too.
  void append_names(std::vector<std::string>& names) const;
  /// The evaluator's own functions, in no order.
  std::vector<BuiltinPtr> functions() const;
  /// What the standard modules see besides: `native`, which reads and writes files.
  const ScopePtr& of_standard_modules() const { return of_standard_modules_; }

 private:
  std::unordered_map<Name, HostValue> values_;  ///< of operations those that have been asked for
  ScopePtr of_standard_modules_;
};

/// The arguments of a call of a builtin by name: `positional` ones first. Fails for one that is missing (unless its
/// name ends in `?`), unknown or given twice; the result has an element for each name.
std::vector<const GivenArgument*> match_arguments(const Arguments& arguments, const std::vector<std::string>& names, std::string_view signature);

}  // namespace mtf
