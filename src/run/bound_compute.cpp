#include <algorithm>

#include "graph/kernel_call.h"
#include "graph/op.h"
#include "kernels/kernel_table.h"
#include "run/bound_step.h"
#include "support/diagnostics.h"
#include "support/integers.h"

namespace mtf::run {
namespace {

/// The axes along which any of the values varies.
AxisSet varies_of(const spmd::LocalProgram& program, const std::vector<int>& values) {
  AxisSet axes = 0;
  for (int v : values) axes |= program.values[v].varies();
  return axes;
}

int slot_of(const spmd::LocalValue& value, Hostings& hostings, int hosted) {
  return hostings.of(value.mesh).slots(value.varies()).of[hosted];
}

/// Elements read, written or computed by one thread before another thread is woken: a few microseconds of work.
constexpr int64_t kWorkOfThread = 8192;
/// The overhead of one kernel call, in the same unit.
constexpr int64_t kWorkOfCall = 256;

/// Runs `body(i)` for each slot, in parallel if there are several slots with enough work.
template <typename Slot, typename Body>
void for_slots(kernels::Threads& threads, const std::vector<Slot>& slots, Body body) {
  if (slots.size() == 1) return body(0);
  if (slots.empty()) return;
  const int64_t work = kWorkOfCall + slots[0].elements + slots[0].flops;
  threads.parallel_for(static_cast<int64_t>(slots.size()), ceil_div(kWorkOfThread, work),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t i = begin; i < end; ++i) body(static_cast<size_t>(i));
                       });
}

class Kernel : public BoundCompute {
 public:
  Kernel(const schedule::Schedule& schedule, const schedule::Step& step, Hostings& hostings)
      : instruction_(schedule.program.instructions[step.instructions[0]]) {
    const spmd::LocalProgram& program = schedule.program;
    std::vector<int> all = instruction_.results;
    all.insert(all.end(), instruction_.operands.begin(), instruction_.operands.end());
    const Hosting& hosting = hostings.of(program.values[instruction_.results[0]].mesh);
    for (int hosted : hosting.slots(varies_of(program, all)).first) {
      Slot slot;
      const Coordinates& coordinates = hosting.coordinates()[hosted];
      auto add = [&](int v, std::vector<kernels::Block>& blocks, std::vector<int>& slots) {
        blocks.push_back(kernel_block(program.values[v], block_at(program.values[v], coordinates)));
        slots.push_back(slot_of(program.values[v], hostings, hosted));
        slot.elements += blocks.back().size();
      };
      for (int v : instruction_.operands) add(v, slot.operands, slot.operand_slots);
      for (int v : instruction_.results) add(v, slot.results, slot.result_slots);
      slots_.push_back(std::move(slot));
    }
  }

  int64_t run(const StepRun& run) override {
    for_slots(run.threads, slots_, [&](size_t i) {
      Slot& slot = slots_[i];
      for (size_t k = 0; k < slot.operands.size(); ++k)
        slot.operands[k].data = run.pointers.at(instruction_.operands[k], slot.operand_slots[k]);
      for (size_t k = 0; k < slot.results.size(); ++k)
        slot.results[k].data = run.pointers.at(instruction_.results[k], slot.result_slots[k]);
      graph::KernelCall call{*instruction_.node, slot.operands, slot.results, run.inputs, run.threads};
      call.progress = run.progress;
      instruction_.node->op->kernel(call);
      slot.flops = call.flops;
    });
    int64_t most = 0;
    for (const Slot& slot : slots_) most = std::max(most, slot.flops);
    return most;
  }

 private:
  struct Slot {
    std::vector<kernels::Block> operands, results;
    std::vector<int> operand_slots, result_slots;
    int64_t elements = 0;  ///< of all blocks
    int64_t flops = 0;     ///< of the latest run
  };
  const spmd::Instruction& instruction_;
  std::vector<Slot> slots_;
};

class Loop : public BoundCompute {
 public:
  Loop(const schedule::Schedule& schedule, const schedule::Step& step, Hostings& hostings)
      : plan_(*step.loop), code_(kernels::table().compile(plan_.program)) {
    const spmd::LocalProgram& program = schedule.program;
    std::vector<int> all = plan_.outputs;
    for (int v : plan_.operands) all.push_back(v);
    const Hosting& hosting = hostings.of(program.values[plan_.outputs[0]].mesh);
    for (int hosted : hosting.slots(varies_of(program, plan_.outputs)).first) {
      Slot slot;
      const Coordinates& coordinates = hosting.coordinates()[hosted];
      int64_t points = 1;
      for (const spmd::LocalDim& dim : plan_.dims) {
        spmd::LocalValue one;
        one.mesh = program.values[plan_.outputs[0]].mesh;
        one.dims = {dim};
        one.order = {0};
        slot.sizes.push_back(block_at(one, coordinates).elements);
        points *= slot.sizes.back();
      }
      slot.elements = points * static_cast<int64_t>(all.size());
      slot.flops = points * (plan_.counted_steps + plan_.counted_reductions);
      slot.strides.reserve(all.size());
      auto add = [&](int v, std::vector<kernels::FusionArgument>& arguments, std::vector<int>& slots) {
        slot.strides.push_back(strides(program.values[v], coordinates));
        arguments.push_back(kernels::FusionArgument::array(nullptr, slot.strides.back()));
        slots.push_back(slot_of(program.values[v], hostings, hosted));
      };
      for (int v : plan_.operands) add(v, slot.operands, slot.operand_slots);
      for (int v : plan_.outputs) add(v, slot.outputs, slot.output_slots);
      slots_.push_back(std::move(slot));
    }
    // Set last, because the spans point into vectors that must not move.
    for (Slot& slot : slots_) {
      size_t next = 0;
      for (kernels::FusionArgument& argument : slot.operands) argument.strides = slot.strides[next++];
      for (kernels::FusionArgument& argument : slot.outputs) argument.strides = slot.strides[next++];
    }
  }

  int64_t run(const StepRun& run) override {
    for_slots(run.threads, slots_, [&](size_t i) {
      Slot& slot = slots_[i];
      for (size_t k = 0; k < slot.operands.size(); ++k) {
        int v = plan_.operands[k];
        if (plan_.program.operands[k].kind == kernels::OperandKind::kScalar)
          slot.operands[k] = kernels::FusionArgument::scalar(run.numbers[v]);
        else slot.operands[k].data = run.pointers.at(v, slot.operand_slots[k]);
      }
      for (size_t k = 0; k < slot.outputs.size(); ++k)
        slot.outputs[k].data = run.pointers.at(plan_.outputs[k], slot.output_slots[k]);
      code_.run(slot.sizes, slot.operands, slot.outputs, run.threads);
    });
    int64_t most = 0;
    for (const Slot& slot : slots_) most = std::max(most, slot.flops);
    return most;
  }

 private:
  struct Slot {
    std::vector<int64_t> sizes;
    std::vector<std::vector<int64_t>> strides;
    std::vector<kernels::FusionArgument> operands, outputs;
    std::vector<int> operand_slots, output_slots;
    int64_t elements = 0, flops = 0;
  };

  /// Returns a value's stride along each dim of the loop; 0 along dims that the value lacks.
  std::vector<int64_t> strides(const spmd::LocalValue& value, const Coordinates& coordinates) const {
    BlockShape shape = block_at(value, coordinates);
    std::vector<int64_t> result;
    for (const spmd::LocalDim& dim : plan_.dims) {
      int64_t stride = 0;
      for (size_t i = 0; i < value.dims.size(); ++i)
        if (value.dims[i].dim.name == dim.dim.name) stride = shape.strides[i];
      result.push_back(stride);
    }
    return result;
  }

  schedule::FusionPlan plan_;
  kernels::FusedLoop code_;
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<BoundCompute> bind_kernel(const schedule::Schedule& schedule, const schedule::Step& step,
                                          Hostings& hostings) {
  MTF_CHECK(schedule.program.instructions[step.instructions[0]].node->op->kernel != nullptr, "{} has no kernel",
            schedule.program.instructions[step.instructions[0]].node->op->name);
  return std::make_unique<Kernel>(schedule, step, hostings);
}

std::unique_ptr<BoundCompute> bind_loop(const schedule::Schedule& schedule, const schedule::Step& step,
                                        Hostings& hostings) {
  return std::make_unique<Loop>(schedule, step, hostings);
}

}  // namespace mtf::run
