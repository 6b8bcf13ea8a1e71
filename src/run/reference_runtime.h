#pragma once
// The reference evaluation: what a program means.
//
// Each operation is computed as soon as it is evaluated, whole, on one processor, by its own kernel: nothing is split,
// fused, merged, overwritten or forgotten. What every other way to run a program computes is compared with it. Results
// are kept for as long as their node lives. Beside that its programs are planned and counted as a dry runtime's are.
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
