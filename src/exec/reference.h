#pragma once
// The reference evaluation: what a program means.
//
// Each operation is computed as soon as it is evaluated, whole, on one processor, by its own kernel: nothing is split,
// fused, merged, overwritten or forgotten. What every other way to run a program computes is compared with it. Results
// stand in Node::whole, for as long as the node lives.
#include <memory>

#include "exec/tensor.h"
#include "graph/graph.h"

namespace mtf {

class Reference {
 public:
  Reference();
  ~Reference();

  /// Computes the node's results from those of its operands. Fails as a run does (index_out_of_range).
  void evaluate(Node& node);
  /// Makes the node's result from data.
  void place(Node& node, const HostTensor& data);
  HostTensor fetch(const Value& value);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf
