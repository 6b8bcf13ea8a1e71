#pragma once
// Where lines of a program say that values lie: `x @ {}`, `x @ {length -> model}`, `x @ dp`, but not `x @ {.., batch ->
// data}`, which says nothing of the dims that it does not name.
#include <optional>
#include <vector>

#include "graph/program.h"
#include "spmd/program_readers.h"

namespace mtf::spmd {

class WrittenLayouts {
 public:
  WrittenLayouts(const graph::Program& program, const ProgramReaders& readers);

  /// What a line says of a value, also where it is read under another name or in another type; null if none does.
  const Sharding* of(graph::ProgramValue value) const;
  /// What a line says of that of which an operation's result is the gradient, or a part of it on its way; null if none
  /// does.
  const Sharding* of_gradient(size_t operation) const;

 private:
  const graph::Program& program_;
  std::vector<std::optional<Sharding>> values_, gradients_;  ///< of the first result of each operation
};

}  // namespace mtf::spmd
