#pragma once
#include <string>
#include <unordered_map>

#include "graph/operation.h"

namespace mtf::spmd {

/// Numbers operations by form: operations with equal numbers differ only in their source position. Anything that
/// follows from an operation alone is thus computed once for each form. A program of many equal layers has as many
/// forms as one layer.
class Forms {
 public:
  int32_t of(const graph::OperationRef& operation);

 private:
  std::unordered_map<graph::OperationRef, int32_t> seen_;  ///< keeps operations, so that no address is reused
  std::unordered_map<std::string, int32_t> numbers_;
  std::string key_;
};

}  // namespace mtf::spmd
