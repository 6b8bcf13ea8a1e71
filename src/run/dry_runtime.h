#pragma once
// The runtime for planning. It predicts costs and computes nothing.
//
// It stands for all processors of all meshes. Each run counts the prediction of its plan. Tensors have layouts and are
// counted, but have no memory. It starts no thread and knows no MPI.
#include <memory>
#include <string>
#include <vector>

#include "plan/runtime.h"

namespace mtf::run {

class MemoryPool;  // run/storage.h
class Storage;     // run/storage.h

class DryRuntime : public plan::Runtime {
 public:
  /// `live`: bytes of one processor that exist before, outside of this runtime.
  explicit DryRuntime(int64_t live = 0);
  ~DryRuntime() override;

  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  bool knows_numbers() const override { return false; }
  std::unique_ptr<plan::Runtime> planner(bool beside) const override;

  void heed(Interrupt) override {}  // no call takes long
  void added(graph::Node&) override {}
  void meet(const graph::Capture&, const plan::ProgramForm&, Span) override {}
  std::vector<std::shared_ptr<plan::Tensor>> run(const std::shared_ptr<const plan::Plan>& plan,
                                                 const plan::PlanInputs& inputs, Span place) override;
  const plan::Counters& counted(const plan::Plan& plan) const override;
  int64_t peak_bytes() const override;
  std::optional<plan::PeakMemory> peak_memory() const override;
  void restart_peak() override;

  std::shared_ptr<plan::Tensor> place(graph::Node& node, const plan::HostView&) override { return pretended(node); }
  std::shared_ptr<plan::Tensor> place_own(graph::Node& node, const plan::HostView&) override { return pretended(node); }
  Interval own_rows(const graph::Node& node) const override { return {0, node.operation->results[0].dims[0].size}; }
  Loaded load(graph::Node& node, const io::PositionedFile&, uint64_t) override { return {pretended(node)}; }
  /// Returns zeros.
  plan::HostTensor fetch(const graph::Value& value) override;
  uint64_t store(const graph::Value&, const io::PositionedFile&, uint64_t) override { return 0; }

  std::vector<uint64_t> added_up(std::vector<uint64_t> numbers, Span) override { return numbers; }
  std::string first_of(const std::string& text, Span) override { return text; }
  std::string broadcast(const std::string& bytes, Span) override { return bytes; }
  void finish() override {}
  [[noreturn]] void abort(const std::string& message, int status) override;

 protected:
  /// Makes a tensor without memory for a node's only result.
  std::shared_ptr<plan::Tensor> pretended(const graph::Node& node) const;

 private:
  std::shared_ptr<MemoryPool> pool_;
  std::shared_ptr<Storage> live_;
  std::shared_ptr<const plan::Plan> fullest_;  // with the largest peak of all plans
  int64_t peak_of_fullest_ = 0;                // and of what is live before it
};

}  // namespace mtf::run
