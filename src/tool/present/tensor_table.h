#pragma once
// A tensor as a table: its last two dims are rows and columns, and the other dims give one table after the other.
//
//   batch\io        0       1        2  …      31
//          0   0.4967  0.5488  -0.1383     0.0676
//          1  -0.2342  …
#include <cstddef>
#include <string>

#include "plan/tensor.h"

namespace mtf::tool {

/// The room for a table.
struct Room {
  std::size_t columns = 80;
  std::size_t lines = 24;  ///< 0: all lines, and columns that do not fit come below
  int digits = 6;
};

/// Returns the table; `…` replaces the middle if it does not fit. A tensor has at least one dim.
std::string tensor_table(const plan::HostTensor& tensor, const Room& room);

}  // namespace mtf::tool
