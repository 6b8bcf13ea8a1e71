#pragma once
// What computes plans: a machine, behind an interface.
//
// The compiler makes a plan without knowing who will run it (plan/compiler.h); a runtime runs it without knowing how
// it was made. What a program computes, when, and what is then known of its values is the same for every runtime, and
// stands in plan/execution.h, which is the only caller of meet(), run(), place(), load(), fetch() and store(). A
// second kind of device is one more class with these functions. Nobody asks which one there is.
//
//   evaluator ─► Execution ─┬─► Compiler: program ─► plan
//                           └─► Runtime: plan, inputs ─► tensors      run/: on ranks and threads, dry, the reference
//
// Ranks are processes that run the same program; each has a runtime, and makes the same calls in the same order,
// except rank(), ranks(), knows_numbers(), planner(), own_rows(), counted(), peak_bytes() and abort(), which any may
// make alone. Ranks that have come apart are stopped where they meet: meet(), fetch(), added_up(), first_of(),
// broadcast() and finish() then fail (ranks_disagree). All is called by one thread. Sizes are in bytes. What the
// user's program or data is at fault for is thrown as UserError, what a file is at fault for as IoError, on the rank
// where it happens alone.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
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

  // ---- who is there -------------------------------------------------------------------------------------------------
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// What fetch() gives are the program's numbers. Where it is false, whatever depends on them is unknown to the
  /// program, and its costs are counted instead: it is planned.
  virtual bool knows_numbers() const = 0;
  /// What it gives comes from each node as it is added, not from plans: no program runs without its nodes.
  virtual bool computes_nodes() const { return false; }
  /// One that predicts what this one would do, computes nothing, and knows no numbers. `beside`: it works with tensors
  /// of this one, whose memory counts as its own.
  virtual std::unique_ptr<Runtime> planner(bool beside) const = 0;

  // ---- programs -----------------------------------------------------------------------------------------------------
  /// Running ends soon after `interrupt` is wanted, if the runtime can end a plan: before it has begun to write over
  /// its inputs, and nothing of it is then stored. Several ranks end before the same plan, in meet().
  virtual void heed(Interrupt interrupt) = 0;
  /// A node has been added to the graph; its operands were before it. What a runtime keeps of it for as long as it
  /// lives stands with what runs leave of it (graph::Computed).
  virtual void added(graph::Node& node) = 0;
  /// All ranks are about to plan a capture's program, whose form is given, and to run it. Fails (interrupted) if one
  /// of several ranks wants to end. `place`, here and below, is what needs it in the script.
  virtual void meet(const graph::Capture& capture, const ProgramForm& form, Span place) = 0;
  /// Runs a plan, and gives a tensor for each output of its local program. Inputs that die may be written over. Fails
  /// where an element is wrong (index_out_of_range), or where memory does not suffice (out_of_memory).
  virtual std::vector<std::shared_ptr<Tensor>> run(const std::shared_ptr<const Plan>& plan, const PlanInputs& inputs,
                                                   Span place) = 0;
  /// What each run of a plan that has been run counts, on the largest processor: all figures but unique_flops,
  /// processors and peak_bytes.
  virtual const Counters& counted(const Plan& plan) const = 0;
  /// The most that the largest processor had since restart_peak().
  virtual int64_t peak_bytes() const = 0;
  /// Starts the peak anew at what is live now.
  virtual void restart_peak() = 0;

  // ---- values: the tensor of a node's one result, laid out as its operation says ------------------------------------
  /// From data that every rank has, the same on all.
  virtual std::shared_ptr<Tensor> place(graph::Node& node, const HostView& data) = 0;
  /// From data of which each rank has what its blocks are made of, its own_rows(), at their places in the whole.
  virtual std::shared_ptr<Tensor> place_own(graph::Node& node, const HostView& data) = 0;
  /// The places of the first dim that this rank's blocks lie within.
  virtual Interval own_rows(const graph::Node& node) const = 0;
  /// From a file that holds the whole tensor, row-major, from `place` bytes on: each rank reads its blocks.
  struct Loaded {
    std::shared_ptr<Tensor> tensor;
    uint64_t sum = 0;  ///< what the blocks that this rank is the first to hold add to the checksum (io/element_sum.h)
  };
  virtual Loaded load(graph::Node& node, const io::PositionedFile& file, uint64_t place) = 0;
  /// A computed value, whole, on every rank. Counts nothing.
  virtual HostTensor fetch(const graph::Value& value) = 0;
  /// Writes a computed value as a whole tensor into a file from `place` bytes on, each rank what it is the first to
  /// hold; gives what that adds to the tensor's checksum.
  virtual uint64_t store(const graph::Value& value, const io::PositionedFile& file, uint64_t place) = 0;

  // ---- what ranks tell one another ----------------------------------------------------------------------------------
  /// Numbers added up over the ranks, modulo 2^64.
  virtual std::vector<uint64_t> added_up(std::vector<uint64_t> numbers, Span place) = 0;
  /// The first text among those of the ranks that is not empty, on every rank: what went wrong somewhere.
  virtual std::string first_of(const std::string& text, Span place) = 0;
  /// Rank 0's bytes on every rank: for what could differ between ranks (a file, the clock).
  virtual std::string broadcast(const std::string& bytes, Span place) = 0;
  /// All ranks come here when the program has ended.
  virtual void finish() = 0;
  /// Ends every rank with `status`, and prints `message` on stderr, unless another rank has come here and printed its
  /// own. Does not return.
  [[noreturn]] virtual void abort(const std::string& message, int status) = 0;
};

}  // namespace mtf::plan
