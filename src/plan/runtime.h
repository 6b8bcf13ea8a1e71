#pragma once
// Runtime: the interface of a machine that runs plans.
//
// The compiler makes a plan without knowing the runtime (plan/compiler.h). A runtime runs a plan without knowing how it
// was made. plan/execution.h does the work that is the same for all runtimes. It is the only caller of meet(), run(),
// place(), load(), fetch() and store(). No code asks which runtime there is.
//
// A new runtime is one more class with these functions, as long as it computes on processors in host memory. A device
// with memory of its own (a GPU) needs more than a class: an operation's record holds one kernel for host blocks
// (graph/kernel_call.h), a step of a schedule holds a loop program of the CPU's kernels (schedule::LoopPlan), and a
// tensor's blocks are pointers to host memory (plan/tensor.h).
//
//   evaluator ─► Execution ─┬─► Compiler: program ─► plan
//                           └─► Runtime: plan, inputs ─► tensors      run/: on ranks and threads, dry, the reference
//
// Ranks are processes that run the same program. Each rank has a runtime and makes the same calls in the same order.
// Exceptions are rank(), ranks(), knows_numbers(), planner(), own_rows(), counted(), peak_bytes() and abort(), which a
// rank may call alone. If ranks make different calls, meet(), fetch(), added_up(), first_of(), broadcast() and finish()
// fail (ranks_disagree). One thread makes all calls. Sizes are in bytes. An error in the user's program or data is a
// UserError, and an error in a file is an IoError. It is thrown only on the rank where it happens.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/peak_memory.h"
#include "plan/tensor.h"
#include "support/interrupt.h"
#include "support/source.h"

namespace mtf::io {
class PositionedFile;  // io/positioned_file.h
}
namespace mtf::graph {
struct Capture;  // graph/program.h
}

namespace mtf::plan {

struct Counters;     // plan/counters.h
struct Plan;         // plan/plan.h
struct PlanInputs;   // plan/plan.h
struct ProgramForm;  // plan/compiler.h

class Runtime {
 public:
  virtual ~Runtime() = default;

  // ---- ranks --------------------------------------------------------------------------------------------------------
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// True if fetch() returns the program's numbers. If false, the program is planned: values that depend on tensors are
  /// unknown, and costs are counted.
  virtual bool knows_numbers() const = 0;
  /// True if the runtime computes each node as it is added, not by plans. No program then runs without its nodes.
  virtual bool computes_nodes() const { return false; }
  /// Returns a runtime that predicts what this one would do, computes nothing, and knows no numbers. `beside`: it uses
  /// tensors of this runtime, and their memory counts as its own.
  virtual std::unique_ptr<Runtime> planner(bool beside) const = 0;

  // ---- programs -----------------------------------------------------------------------------------------------------
  /// Makes runs end soon after `interrupt` is requested, if the runtime can end a plan. One rank ends a plan only
  /// before the plan overwrites its inputs, and stores nothing of it. Several ranks end before the same plan, in
  /// meet().
  virtual void heed(Interrupt interrupt) = 0;
  /// Called when a node has been added to the graph; its operands were added before. The runtime may keep data with the
  /// node, in graph::Computed::of_runtime.
  virtual void added(graph::Node& node) = 0;
  /// Called before all ranks plan and run a capture's program. Fails (interrupted) if one of several ranks wants to
  /// end. `place`, here and below, is the source position that needs the call.
  virtual void meet(const graph::Capture& capture, const ProgramForm& form, Span place) = 0;
  /// Runs a plan and returns a tensor for each output of its local program. May overwrite inputs that die. Fails if an
  /// index is wrong (index_out_of_range) or memory does not suffice (out_of_memory).
  virtual std::vector<std::shared_ptr<Tensor>> run(const std::shared_ptr<const Plan>& plan, const PlanInputs& inputs,
                                                   Span place) = 0;
  /// Returns the counts of each run of a plan, on the largest processor, except unique_flops, processors and
  /// peak_bytes. The plan must have been run.
  virtual const Counters& counted(const Plan& plan) const = 0;
  /// The peak of the largest processor since restart_peak().
  virtual int64_t peak_bytes() const = 0;
  /// The peak by kind, if the runtime knows it: a runtime for planning does.
  virtual std::optional<PeakMemory> peak_memory() const { return std::nullopt; }
  /// Resets the peak to the bytes that are live now.
  virtual void restart_peak() = 0;

  // ---- values: the tensor of a node's only result, with the layout of its operation ---------------------------------
  /// Makes a tensor from data that is the same on every rank.
  virtual std::shared_ptr<Tensor> place(graph::Node& node, const HostView& data) = 0;
  /// Makes a tensor from data that each rank has in part: its own_rows(), at their positions in the whole tensor.
  virtual std::shared_ptr<Tensor> place_own(graph::Node& node, const HostView& data) = 0;
  /// The interval of the first dim that contains this rank's blocks.
  virtual Interval own_rows(const graph::Node& node) const = 0;
  /// Reads a tensor from a file that holds the whole tensor, row-major, from byte `place` on. Each rank reads its
  /// blocks.
  struct Loaded {
    std::shared_ptr<Tensor> tensor;
    uint64_t sum = 0;  ///< share in the checksum (io/element_sum.h) of the blocks that this rank is the first to hold
  };
  virtual Loaded load(graph::Node& node, const io::PositionedFile& file, uint64_t place) = 0;
  /// Returns a computed value as a whole tensor, on every rank. Counts nothing.
  virtual HostTensor fetch(const graph::Value& value) = 0;
  /// Writes a computed value into a file as a whole tensor, from byte `place` on. Each rank writes the blocks that it
  /// is the first to hold. Returns their share in the tensor's checksum.
  virtual uint64_t store(const graph::Value& value, const io::PositionedFile& file, uint64_t place) = 0;

  // ---- messages between ranks ---------------------------------------------------------------------------------------
  /// Returns the sums of the ranks' numbers, modulo 2^64.
  virtual std::vector<uint64_t> added_up(std::vector<uint64_t> numbers, Span place) = 0;
  /// Returns on every rank the first text of a rank that is not empty: an error that happened somewhere.
  virtual std::string first_of(const std::string& text, Span place) = 0;
  /// Returns rank 0's bytes on every rank, for data that could differ between ranks (a file, the clock).
  virtual std::string broadcast(const std::string& bytes, Span place) = 0;
  /// All ranks call it when the program has ended.
  virtual void finish() = 0;
  /// Ends every rank with `status`. Prints `message` on stderr, unless another rank has printed its message before.
  /// Does not return.
  [[noreturn]] virtual void abort(const std::string& message, int status) = 0;
};

}  // namespace mtf::plan
