#include "graph/operation.h"

#include "graph/op.h"
#include "graph/region.h"
#include "types/key.h"

namespace mtf::graph {

const IterationSpace& Operation::space() const {
  if (!space_) space_ = std::make_shared<const IterationSpace>(op->space(*this));
  return *space_;
}

void append(std::string& key, const Operation& operation) {
  mtf::append(key, operation.op);
  append(key, operation.attributes);
  mtf::append(key, operation.operands.size());
  for (const TensorType& type : operation.operands) append(key, type);
  mtf::append(key, operation.results.size());
  for (const TensorType& type : operation.results) append(key, type);
  if (operation.region) mtf::append(key, std::string_view(operation.region->form));
}

}  // namespace mtf::graph
