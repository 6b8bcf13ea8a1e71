#pragma once
#include <cstdint>

namespace mtf::eval {

/// What all variables that were declared take: elements of whole tensors, and bytes of a processor.
struct StoredVariables {
  int64_t parameters = 0;
  int64_t parameter_bytes = 0;
  int64_t states = 0;
  int64_t state_bytes = 0;
};

}  // namespace mtf::eval
