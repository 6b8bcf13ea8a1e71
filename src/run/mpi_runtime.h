#pragma once
// The runtime that computes. It runs the processors that this rank hosts, with threads in the rank and MPI between
// ranks.
#include <memory>
#include <string>
#include <vector>

#include "plan/runtime.h"
#include "types/placement.h"

namespace mtf::run {

class Timeline;  // run/timeline.h

#ifdef NDEBUG
inline constexpr bool kDebugBuild = false;
#else
inline constexpr bool kDebugBuild = true;
#endif

struct MpiRuntimeOptions {
  int threads = 0;  ///< of this rank; 0: its share of the node's cores
  Placement placement = {};
  bool use_mpi = false;               ///< mpirun started this process; else it is the only rank
  bool share_memory = true;           ///< ranks of one node reduce and send short messages through shared memory
  bool check_replicas = kDebugBuild;  ///< compares replicas on different ranks after every plan
  bool scrub = false;                 ///< for tests: memory that a plan has not written holds NaNs
  std::shared_ptr<Timeline> timeline = nullptr;  ///< records when each step of each plan ran
};

class MpiRuntime final : public plan::Runtime {
 public:
  explicit MpiRuntime(MpiRuntimeOptions options = {});
  ~MpiRuntime() override;

  int rank() const override;
  int ranks() const override;
  /// The number of ranks on each node, if all nodes have as many and the ranks of a node follow each other; otherwise
  /// 0.
  int ranks_of_node() const;
  bool knows_numbers() const override { return true; }
  std::unique_ptr<plan::Runtime> planner(bool beside) const override;

  /// With one rank, an interrupt ends a plan between its steps and within long kernels, unless an input has been
  /// overwritten.
  void heed(Interrupt interrupt) override;
  void added(graph::Node& node) override;
  void meet(const graph::Capture& capture, const plan::ProgramForm& form, Span place) override;
  std::vector<std::shared_ptr<plan::Tensor>> run(const std::shared_ptr<const plan::Plan>& plan,
                                                 const plan::PlanInputs& inputs, Span place) override;
  const plan::Counters& counted(const plan::Plan& plan) const override;
  int64_t peak_bytes() const override;
  void restart_peak() override;

  std::shared_ptr<plan::Tensor> place(graph::Node& node, const plan::HostView& data) override;
  std::shared_ptr<plan::Tensor> place_own(graph::Node& node, const plan::HostView& data) override;
  Interval own_rows(const graph::Node& node) const override;
  Loaded load(graph::Node& node, const io::PositionedFile& file, uint64_t place) override;
  plan::HostTensor fetch(const graph::Value& value) override;
  uint64_t store(const graph::Value& value, const io::PositionedFile& file, uint64_t place) override;

  std::vector<uint64_t> added_up(std::vector<uint64_t> numbers, Span place) override;
  std::string first_of(const std::string& text, Span place) override;
  std::string broadcast(const std::string& bytes, Span place) override;
  /// Collects the texts of all ranks in rank 0's timeline (Timeline::tell).
  void finish() override;
  [[noreturn]] void abort(const std::string& message, int status) override;

  /// Fails on all ranks (unusable_level) if they have no common level of kernels, because then no rank can compute.
  void expect_level() const;
  /// A message for people if the ranks use slower kernels than one of them could; usually empty.
  const std::string& notice() const;
  /// True if the ranks of this node reduce in shared memory.
  bool shares_memory() const;
  /// Bytes of tensors that plans have sent to other ranks so far; for each collective the maximum over ranks. If each
  /// rank hosts one processor, this equals the wire_bytes of the counters.
  int64_t sent() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::run
