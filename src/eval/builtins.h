#pragma once
// The names that every program sees without declaring them: the functions of the evaluator itself, those of a library,
// operations, `random`.
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
  /// `library`: whose functions are among them; may be null.
  explicit Builtins(const HostLibrary* library);
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
  /// The functions of the evaluator and of the library, in no order.
  std::vector<BuiltinPtr> functions() const;
  /// What the standard modules see besides: `native`, what a library has for them.
  const ScopePtr& of_standard_modules() const { return of_standard_modules_; }

 private:
  std::unordered_map<Name, HostValue> values_;  ///< of operations those that have been asked for
  ScopePtr of_standard_modules_;
};

}  // namespace mtf::eval
