#pragma once
// The runtime that plans: what programs would cost, without computing them.
//
// It is every processor of every mesh at once. Each run counts what its plan predicts; tensors have layouts and are
// counted as memory, and have none. It starts no thread and knows no MPI.
#include <memory>
#include <string>
#include <vector>

#include "plan/runtime.h"

namespace mtf {

class MemoryPool;  // run/storage.h
class Storage;     // run/storage.h

class DryRuntime : public Runtime {
 public:
  /// `live`: bytes that one processor alone has besides.
  explicit DryRuntime(int64_t live = 0);
  ~DryRuntime() override;

  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  bool knows_numbers() const override { return false; }
  std::unique_ptr<Runtime> planner(bool beside) const override;

  void heed(Interrupt) override {}  // nothing takes long
  void added(Node&) override {}
  void meet(const Capture&, const ProgramForm&, Span) override {}
  std::vector<std::shared_ptr<Tensor>> run(const std::shared_ptr<const Plan>& plan, const PlanInputs& inputs,
                                           Span place) override;
  const Counters& counted(const Plan& plan) const override;
  int64_t peak_bytes() const override;
  void restart_peak() override;

  std::shared_ptr<Tensor> place(Node& node, const HostView&) override { return pretended(node); }
  std::shared_ptr<Tensor> place_own(Node& node, const HostView&) override { return pretended(node); }
  Interval own_rows(const Node& node) const override { return {0, node.operation->results[0].dims[0].size}; }
  Loaded load(Node& node, const PositionedFile&, uint64_t) override { return {pretended(node)}; }
  /// Zeros.
  HostTensor fetch(const Value& value) override;
  uint64_t store(const Value&, const PositionedFile&, uint64_t) override { return 0; }

  std::vector<uint64_t> added_up(std::vector<uint64_t> numbers, Span) override { return numbers; }
  std::string first_of(const std::string& text, Span) override { return text; }
  std::string broadcast(const std::string& bytes, Span) override { return bytes; }
  void finish() override {}
  [[noreturn]] void abort(const std::string& message, int status) override;

 protected:
  /// The tensor of a node's one result, without memory.
  std::shared_ptr<Tensor> pretended(const Node& node) const;

 private:
  std::shared_ptr<MemoryPool> pool_;
  std::shared_ptr<Storage> live_;
};

}  // namespace mtf
