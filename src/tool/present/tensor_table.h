#pragma once
// A tensor as a table: its last two dims as rows and columns, the others one table after the other.
//
//   batch\io        0       1        2  …      31
//          0   0.4967  0.5488  -0.1383     0.0676
//          1  -0.2342  …
#include <cstddef>
#include <string>

#include "plan/tensor.h"

namespace mtf::tool {

/// What there is room for.
struct Room {
  std::size_t columns = 80;
  std::size_t lines = 24;  ///< 0: as many as it takes, and columns that do not fit stand below
  int digits = 6;
};

/// What does not fit is left out in the middle, where `…` stands. A tensor has at least one dim.
std::string tensor_table(const plan::HostTensor& tensor, const Room& room);

}  // namespace mtf::tool
