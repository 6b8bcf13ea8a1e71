#pragma once
#include <string>
#include <unordered_map>

#include "graph/operation.h"

namespace mtf::spmd {

/// Numbers operations: those with equal numbers differ in nothing but where the program wrote them, so that what
/// follows from an operation alone need be found once for each form. A program of many equal layers has the forms of
/// one.
class Forms {
 public:
  int32_t of(const graph::OperationRef& operation);

 private:
  std::unordered_map<graph::OperationRef, int32_t> seen_;  ///< keeps them, so that no other gets the address of one
  std::unordered_map<std::string, int32_t> numbers_;
  std::string key_;
};

}  // namespace mtf::spmd
