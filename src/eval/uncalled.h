#pragma once
// The functions and models that a check has met and nothing has called: their names at least are checked, at its end.
#include <unordered_set>
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {

class Builtins;    // eval/builtins.h
class Findings;    // eval/findings.h
class NameLookup;  // eval/name_lookup.h

class UncalledFunctions {
 public:
  void declared(FunctionPtr function) { functions_.push_back(std::move(function)); }
  void declared(ModelClassPtr model) { models_.push_back(std::move(model)); }
  /// All that have been declared.
  const std::vector<FunctionPtr>& functions() const { return functions_; }
  /// A function, by its signature's address, or a model, by its declaration's: its body has been evaluated.
  void called(const void* function) { called_.insert(function); }
  /// Every name in the others is bound, declared or an operation; else it is a finding. What stands behind a `return`,
  /// `break` or `continue` that ends its block is not reached, and what it may name was not bound: it is left out.
  void check_names(NameLookup& names, Builtins& builtins, Findings& findings);

 private:
  std::vector<FunctionPtr> functions_;
  std::vector<ModelClassPtr> models_;
  std::unordered_set<const void*> called_;
};

}  // namespace mtf::eval
