#pragma once
// The functions and models that a check has met but nothing has called. The end of the check looks up their names.
#include <unordered_set>
#include <vector>

#include "eval/abstract.h"
#include "eval/host_value.h"

namespace mtf::eval {

class Builtins;    // eval/builtins.h
class Findings;    // eval/findings.h
class NameLookup;  // eval/name_lookup.h

class UncalledFunctions {
 public:
  /// `domain` must outlive this. Only a check collects functions and models.
  explicit UncalledFunctions(const AbstractDomain& domain) : domain_(domain) {}

  void declared(const FunctionPtr& function) {
    if (domain_.is_check()) functions_.push_back(function);
  }
  void declared(const ModelClassPtr& model) {
    if (domain_.is_check()) models_.push_back(model);
  }
  /// All declared functions, called or not.
  const std::vector<FunctionPtr>& functions() const { return functions_; }
  /// Marks a function (by the address of its signature) or model (by that of its declaration) as called: its body has
  /// been evaluated.
  void called(const void* function) {
    if (domain_.is_check()) called_.insert(function);
  }
  /// Reports each name in an uncalled function or model that is neither bound, declared nor an operation. Skips
  /// unreachable declarations, after a `return`, `break` or `continue` that ends their block: names that they mention
  /// may never have been bound.
  void check_names(NameLookup& names, Builtins& builtins, Findings& findings);

 private:
  const AbstractDomain& domain_;
  std::vector<FunctionPtr> functions_;
  std::vector<ModelClassPtr> models_;
  std::unordered_set<const void*> called_;
};

}  // namespace mtf::eval
