#pragma once
// The layouts that lines of a program write: `x @ {}`, `x @ {length -> model}`, `x @ dp`. `x @ {.., batch -> data}` is
// not among them, because it says nothing about the other dims.
#include <optional>
#include <vector>

#include "graph/program.h"
#include "spmd/program_readers.h"

namespace mtf::spmd {

class WrittenLayouts {
 public:
  WrittenLayouts(const graph::Program& program, const ProgramReaders& readers);

  /// Returns the written layout of a value, also if the value is read under another name or in another type; null if
  /// there is none.
  const Sharding* of(graph::ProgramValue value) const;
  /// Returns the written layout of the value whose gradient, or a part of it, is the result of `operation`; null if
  /// there is none.
  const Sharding* of_gradient(size_t operation) const;

 private:
  const graph::Program& program_;
  std::vector<std::optional<Sharding>> values_, gradients_;  ///< of the first result of each operation
};

}  // namespace mtf::spmd
