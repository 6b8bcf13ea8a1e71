#pragma once
// The names that every program sees without declaring them: functions of the evaluator, functions of a library,
// operations, and `random`.
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eval/host_value.h"
#include "eval/scope.h"

namespace mtf::eval {

struct HostLibrary;  // eval/host_library.h

class Builtins {
 public:
  /// `library`: its functions are included; may be null.
  explicit Builtins(const HostLibrary* library);
  ~Builtins();
  Builtins(const Builtins&) = delete;
  Builtins& operator=(const Builtins&) = delete;

  /// Returns the value of a built-in name; null if there is no such name.
  const HostValue* find(Name name);
  bool knows(Name name) const;
  /// Adds a name.
  void add(Name name, HostValue value) { values_[name] = std::move(value); }
  /// Appends every built-in name, including the operations.
  void append_names(std::vector<std::string>& names) const;
  /// The functions of the evaluator and of the library, in no order.
  std::vector<BuiltinPtr> functions() const;
  /// The scope around the standard modules. It adds `native`, the library's module for them.
  const ScopePtr& of_standard_modules() const { return of_standard_modules_; }

 private:
  std::unordered_map<Name, HostValue> values_;  ///< includes only the operations that have been looked up
  ScopePtr of_standard_modules_;
};

}  // namespace mtf::eval
