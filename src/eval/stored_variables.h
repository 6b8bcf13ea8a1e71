#pragma once
#include <cstdint>

namespace mtf::eval {

/// The sizes of all declared variables: the elements of whole tensors, and the bytes that one processor stores.
struct StoredVariables {
  int64_t parameters = 0;
  int64_t parameter_bytes = 0;
  int64_t states = 0;
  int64_t state_bytes = 0;
};

}  // namespace mtf::eval
