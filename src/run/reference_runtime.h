#pragma once
// The reference evaluation: it defines the result of a program.
//
// It calls the kernel of each operation as soon as the operation is added, on whole tensors in row-major order. No pass
// of the compiler and no executor is involved. It never splits, fuses, merges, overwrites or forgets anything. Tests
// compare every other way to run a program with it. A node keeps its results as long as it lives. Programs are also
// planned and counted, as on a dry runtime.
#include <memory>

#include "run/dry_runtime.h"

namespace mtf::run {

class ReferenceRuntime final : public DryRuntime {
 public:
  ReferenceRuntime();
  ~ReferenceRuntime() override;

  bool knows_numbers() const override { return true; }
  bool computes_nodes() const override { return true; }
  /// Computes the node's results from those of its operands. Fails as a run does (index_out_of_range).
  void added(graph::Node& node) override;

  std::shared_ptr<plan::Tensor> place(graph::Node& node, const plan::HostView& data) override;
  std::shared_ptr<plan::Tensor> place_own(graph::Node& node, const plan::HostView& data) override {
    return place(node, data);
  }
  Loaded load(graph::Node& node, const io::PositionedFile& file, uint64_t place) override;
  plan::HostTensor fetch(const graph::Value& value) override;
  uint64_t store(const graph::Value& value, const io::PositionedFile& file, uint64_t place) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::run
