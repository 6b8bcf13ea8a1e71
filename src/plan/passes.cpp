#include "plan/passes.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "graph/op.h"
#include "graph/region.h"
#include "plan/compilation.h"
#include "schedule/passes.h"
#include "support/diagnostics.h"

namespace mtf::plan {
namespace {

// ---- passes of a compilation ----------------------------------------------------------------------------------------

void run_merge(Compilation& c) {
  c.merged = merge(c.program(), c.forms);
  if (!c.loop()) c.unique_flops = unique_flops(c.merged);
}

void run_split(Compilation& c) {
  spmd::LoweringOptions options = c.lowering();
  options.decisions = c.decisions;
  c.local() = split(c.merged, options, c.loop());
  c.local().unique_flops = c.unique_flops;
}

/// Runs a pass on the bodies of a schedule's loops, then on the schedule.
void on_all(schedule::Schedule& schedule, void (*pass)(schedule::Schedule&)) {
  for (schedule::Step& step : schedule.steps)
    if (step.iteration) on_all(*step.iteration, pass);
  pass(schedule);
}

// ---- verifiers ------------------------------------------------------------------------------------------------------

void verify_program(const Compilation& c) { verify(c.program()); }
void verify_schedule(const Compilation& c) { verify(c.schedule); }

void verify_axes(const Compilation& c) {
  verify(c.program());
  for (const graph::ProgramOperation& entry : c.program().operations) {
    const graph::LaidOutOperation& operation = *entry.operation;
    for (const Sharding& sharding : operation.shardings)
      MTF_CHECK(!(sharding.split() & operation.mesh->axes_of_one() &
                  ~(operation.region ? operation.region->stages.set() : AxisSet{0})),
                "an axis of one processor splits {}", operation.op->name);
  }
}

void verify_merged(const Compilation& c) {
  const graph::Program& program = c.program();
  verify(program);
  MTF_CHECK(c.merged.forms.size() == program.operations.size(), "not every operation has a form");
  std::set<std::tuple<int32_t, int32_t, std::vector<graph::ProgramValue>>> known;
  for (size_t i = 0; i < program.operations.size(); ++i) {
    const std::span<const graph::ProgramValue> operands = program.operands_of(i);
    const graph::ProgramOperation& entry = program.operations[i];
    const auto [at, fresh] = known.emplace(c.merged.forms[i], entry.replica,
                                           std::vector<graph::ProgramValue>(operands.begin(), operands.end()));
    MTF_CHECK(fresh, "{} is there twice", entry.operation->op->name);
  }
}

/// Returns the axes over which output `r` may be partial. Of a program: none. An iteration may leave its terms of sums,
/// and slices that are summed after the loop or that only their owner holds.
AxisSet may_be_partial(const spmd::EnclosingLoop* loop, size_t r) {
  constexpr AxisSet kAny = ~AxisSet{0};
  if (!loop) return 0;
  if (static_cast<int32_t>(r) >= loop->region->carried + loop->region->stacked) return kAny;
  if (r < loop->along.size() && loop->along[r] == graph::AlongMicro::kSum) return kAny;
  AxisSet axes = 0;
  if (r < loop->root_parts.size()) axes |= loop->root_parts[r];
  if (r < loop->root_owners.size()) axes |= loop->root_owners[r].set();
  return axes;
}

void verify_split(const Compilation& c) {
  const spmd::LocalProgram& local = c.local();
  const graph::Program& program = c.program();
  verify(local);
  const size_t roots = local.outputs.size() - local.copied.size();
  for (size_t i = 0; i < roots; ++i) {
    const spmd::LocalValue& output = local.values[local.outputs[i][0]];
    MTF_CHECK((output.partial & ~may_be_partial(c.loop(), i)) == 0, "the output {} is still to be summed", output.name);
  }
  if (program.operations.empty()) return;  // the program was read at this stage
  MTF_CHECK(roots == program.roots.size(), "an output is missing");
  for (size_t i = 0; i < program.roots.size(); ++i) {
    const spmd::LocalValue& output = local.values[local.outputs[i][0]];
    const bool is_carry = c.loop() && static_cast<int32_t>(i) < c.loop()->region->carried;
    const graph::ProgramValue like = is_carry ? graph::ProgramValue::input(i) : program.roots[i];
    MTF_CHECK(output.partial != 0 || output.sharding() == program.sharding(like),
              "{} does not lie where its layout says", output.name);
  }
}

void verify_all_read(const Compilation& c) {
  verify_split(c);
  if (!c.local().passes_over_windows) return;
  std::vector<bool> is_read(c.local().values.size());
  for (const std::vector<int>& output : c.local().outputs)
    for (int value : output) is_read[value] = true;
  for (const spmd::Instruction& instruction : c.local().instructions)
    for (int operand : instruction.operands) is_read[operand] = true;
  for (const spmd::Instruction& instruction : c.local().instructions)
    if (instruction.kind != spmd::InstructionKind::kInput)
      MTF_CHECK(std::any_of(instruction.results.begin(), instruction.results.end(), [&](int v) { return is_read[v]; }),
                "nothing reads {}", c.local().values[instruction.results[0]].name);
}

void verify_numbers(const spmd::LocalProgram& program) {
  for (const spmd::Instruction& instruction : program.instructions) {
    if (!instruction.iteration) continue;
    verify_numbers(*instruction.iteration);
    const std::vector<graph::NumbersOf>& parts = instruction.node->region->numbers_of;
    size_t count = 0;
    for (const graph::NumbersOf& part : parts) count += static_cast<size_t>(part.count);
    MTF_CHECK(parts.empty() || count == instruction.node->inputs.size(), "a loop has {} of {} numbers", count,
              instruction.node->inputs.size());
  }
}
void verify_numbers(const Compilation& c) {
  verify_all_read(c);
  verify_numbers(c.local());
}

void verify_chosen(const Compilation& c) {
  verify(c.local());
  schedule::verify_orders(c.local());
}

/// Calls `look` with the schedule and with the schedules of its loop bodies.
void on_each(const schedule::Schedule& schedule, const std::function<void(const schedule::Schedule&)>& look) {
  look(schedule);
  for (const schedule::Step& step : schedule.steps)
    if (step.iteration) on_each(*step.iteration, look);
}

void verify_loops(const Compilation& c) {
  verify(c.schedule);
  on_each(c.schedule, [](const schedule::Schedule& s) {
    for (const schedule::Step& step : s.steps)
      MTF_CHECK((step.kind == schedule::StepKind::kFusion) == step.loop.has_value(), "a loop has no program");
  });
}

void verify_calls(const Compilation& c) {
  verify_loops(c);
  on_each(c.schedule, [](const schedule::Schedule& s) {
    for (const schedule::Step& step : s.steps)
      MTF_CHECK(step.kind != schedule::StepKind::kCollective || step.calls > 0, "a collective that is not called");
  });
}

/// Checks that no step reads the result of a collective before the collective ends. `all`: also checks that the end of
/// every collective is set.
void verify_waits(const schedule::Schedule& schedule, bool all) {
  for (size_t s = 0; s < schedule.steps.size(); ++s) {
    const schedule::Step& step = schedule.steps[s];
    if (step.kind != schedule::StepKind::kCollective || (!all && step.finish == 0)) continue;
    MTF_CHECK(step.finish > static_cast<int>(s) && step.finish <= static_cast<int>(schedule.steps.size()),
              "a collective that ends before it begins");
    for (int later = static_cast<int>(s) + 1; later < step.finish; ++later)
      for (int v : schedule.steps[later].reads)
        MTF_CHECK(std::find(step.writes.begin(), step.writes.end(), schedule.alias_of[v]) == step.writes.end(),
                  "{} is read while it is on its way", schedule.program.values[v].name);
  }
}

void verify_overlap(const Compilation& c) {
  verify_calls(c);
  on_each(c.schedule, [](const schedule::Schedule& s) { verify_waits(s, true); });
}
void verify_freed(const Compilation& c) {
  verify_calls(c);
  on_each(c.schedule, [](const schedule::Schedule& s) { verify_waits(s, false); });
}

void verify_again(const Compilation& c) {
  verify_freed(c);
  verify_remade(c.schedule);
}

void verify_buffers(const Compilation& c) {
  verify_calls(c);
  on_each(c.schedule, [](const schedule::Schedule& s) {
    MTF_CHECK(s.buffer_of.size() == s.program.values.size(), "no buffers");
    for (const schedule::Step& step : s.steps)
      for (int v : step.writes)
        MTF_CHECK(step.kind == schedule::StepKind::kWindow || s.buffer_of[v] >= 0, "{} has no memory",
                  s.program.values[v].name);
  });
  verify_memory(c.schedule);
}

}  // namespace

const std::vector<Pass>& passes() {
  using enum Stage;
  static const std::vector<Pass> list = {
      {.name = "leave_out_axes_of_one",
       .sentence = "axes of one processor, which split nothing, are removed from layouts",
       .ensures = "the axes that split a dim have several processors, except those of stages",
       .may_change_layouts = true,
       .run = [](Compilation& c) { spmd::leave_out_axes_of_one(c.program()); },
       .verify = verify_axes},
      {.name = "carry_splits",
       .sentence = "a split that a rename would lose is carried to the products behind the rename",
       .needs = {"leave_out_axes_of_one"},
       .ensures = "a value that is kept only for gradients has the layout in which it is computed",
       .may_change_layouts = true,
       .run = [](Compilation& c) { spmd::carry_splits(c.program()); },
       .verify = verify_program},
      {.name = "leave_out_unread_results",
       .sentence = "results of loops that nothing reads are removed",
       .needs = {"carry_splits"},
       .ensures = "each result of a loop is read, or is an output",
       .run = [](Compilation& c) { leave_out_unread_results(c.program()); },
       .verify = verify_program},
      {.name = "sum_carries",
       .sentence = "a carry that begins at zero, and to which iterations only add, becomes a sum over the iterations",
       .needs = {"leave_out_unread_results"},
       .ensures = "what iterations only add up is reduced once, after the last iteration",
       .run = [](Compilation& c) { spmd::sum_carries(c.program()); },
       .verify = verify_program},
      {.name = "sink_layouts",
       .sentence = "a value without a requested layout is computed in the blocks that its consumers need",
       .needs = {"sum_carries"},
       .ensures = "every value has the layout in which it is computed",
       .may_change_layouts = true,
       .run = [](Compilation& c) { sink_layouts(c.program(), c.forms); },
       .verify = verify_program},
      {.name = "merge",
       .sentence = "equal operations are merged",
       .needs = {"sink_layouts"},
       .ensures = "no two operations are equal, and the flops of one processor alone are known",
       .run = run_merge,
       .verify = verify_merged},
      {.name = "join_pipelines",
       .sentence = "a pipeline with the schedule 1F1B, its loss and its gradient become one loop over micro-batches",
       .needs = {"merge"},
       .ensures = "a pipeline whose forward and backward turns alternate is one operation",
       .run =
           [](Compilation& c) {
             if (!c.loop()) join_pipelines(c.merged, c.forms);
           },
       .verify = verify_merged},
      {.name = "expand",
       .sentence =
           "an operation that cannot be split as its layout asks is replaced by smaller ones, or its operands are "
           "gathered if that costs less; products that would gather too much become loops of permutes",
       .needs = {"merge"},
       .ensures = "each operation can be split as its layout asks, or gets the operands gathered that it needs whole",
       .run = [](Compilation& c) { expand(c.merged, c.forms, c.lowering()); },
       .verify = verify_merged},
      {.name = "split",
       .sentence = "operations on whole tensors are lowered to one processor's blocks, with collectives between them",
       .needs = {"expand"},
       .ensures = "each output has its declared layout, and the program contains all communication",
       .gives = kLocalProgram,
       .run = run_split,
       .verify = verify_split},
      {.name = "leave_out_unread",
       .sentence = "results that nothing reads are removed, if windows are taken from larger blocks",
       .needs = {"split"},
       .ensures = "in such a program every value except inputs is read, or is an output",
       .takes = kLocalProgram,
       .gives = kLocalProgram,
       .run = [](Compilation& c) { leave_out_unread(c.local()); },
       .verify = verify_all_read},
      {.name = "recompute_in_loops",
       .sentence =
           "with `--remat`, a backward loop computes values again instead of reading what the forward loop saved",
       .needs = {"leave_out_unread"},
       .ensures = "a loop that computes values of another loop again has the numbers of both",
       .takes = kLocalProgram,
       .gives = kLocalProgram,
       .may_be_skipped = true,
       .run =
           [](Compilation& c) {
             if (c.most_flops_a_byte() >= 0) recompute_in_loops(c.local(), c.most_flops_a_byte());
           },
       .verify = verify_numbers},
      {.name = "choose_orders",
       .sentence = "each value gets a storage order that its producer and its consumers can use",
       .needs = {"leave_out_unread"},
       .ensures = "every value has a storage order, and each step reads and writes it in this order",
       .takes = kLocalProgram,
       .gives = kLocalProgram,
       .run = [](Compilation& c) { choose_orders(c.schedule); },
       .verify = verify_chosen},
      {.name = "share_views",
       .sentence =
           "each instruction that computes or moves data becomes a step; a view names the memory that it shares",
       .needs = {"choose_orders"},
       .ensures = "each step comes after the steps whose results it reads",
       .takes = kLocalProgram,
       .gives = kSchedule,
       .run = [](Compilation& c) { share_views(c.schedule); },
       .verify = verify_schedule},
      {.name = "merge_all_reduces",
       .sentence = "small all_reduces over the same axes are merged into one step",
       .needs = {"share_views"},
       .ensures = "small all_reduces that do not depend on each other are one step",
       .takes = kSchedule,
       .gives = kSchedule,
       .may_be_skipped = true,
       .run = [](Compilation& c) { on_all(c.schedule, schedule::merge_all_reduces); },
       .verify = verify_schedule},
      {.name = "fuse_loops",
       .sentence = "chains of element-wise operations and their reductions are fused into one step",
       .needs = {"share_views"},
       .ensures = "each fusion is one step",
       .takes = kSchedule,
       .gives = kSchedule,
       .may_be_skipped = true,
       .run = [](Compilation& c) { on_all(c.schedule, schedule::fuse_loops); },
       .verify = verify_schedule},
      {.name = "repeat_in_loops",
       .sentence = "fusions compute again what is cheap, instead of keeping it for them",
       .needs = {"share_views"},
       .ensures =
           "a value that a few cheap instructions make of kept values is not kept for fusions behind other steps",
       .takes = kSchedule,
       .gives = kSchedule,
       .may_be_skipped = true,
       .run = [](Compilation& c) { on_all(c.schedule, schedule::repeat_in_loops); },
       .verify = verify_schedule},
      {.name = "make_loops",
       .sentence = "each fusion gets its loop program; fusions that nothing reads are removed",
       .needs = {"share_views"},
       .ensures = "a fusion writes only values that other steps read",
       .takes = kSchedule,
       .gives = kSchedule,
       .run = [](Compilation& c) { on_all(c.schedule, schedule::make_loops); },
       .verify = verify_loops},
      {.name = "cut_all_reduces",
       .sentence = "large all_reduces are cut into pieces",
       .needs = {"make_loops"},
       .ensures = "the number of calls of each collective is known",
       .takes = kSchedule,
       .gives = kSchedule,
       .run = [](Compilation& c) { on_all(c.schedule, schedule::cut_all_reduces); },
       .verify = verify_calls},
      {.name = "start_collectives",
       .sentence =
           "a reduction starts when its operand is ready, and the carry of a pipeline when the iteration starts",
       .needs = {"cut_all_reduces"},
       .ensures = "a reduction comes directly after the producer of its operand, unless that needs more memory",
       .takes = kSchedule,
       .gives = kSchedule,
       .may_be_skipped = true,
       .decides = Decides::kOverlap,
       .run = [](Compilation& c) { on_all(c.schedule, schedule::start_collectives); },
       .verify = verify_calls},
      {.name = "overlap_collectives",
       .sentence = "each collective overlaps with the steps before its first consumer",
       .needs = {"cut_all_reduces"},
       .ensures = "the steps that run during each collective are known",
       .takes = kSchedule,
       .gives = kSchedule,
       .may_be_skipped = true,
       .decides = Decides::kOverlap,
       .run = [](Compilation& c) { on_all(c.schedule, schedule::overlap_collectives); },
       .verify = verify_overlap},
      {.name = "free_early",
       .sentence = "a step that frees more memory than it allocates runs as early as possible",
       .needs = {"cut_all_reduces"},
       .ensures = "no step that frees memory waits for a step that it does not depend on",
       .takes = kSchedule,
       .gives = kSchedule,
       .may_be_skipped = true,
       .decides = Decides::kOverlap,
       .run = [](Compilation& c) { on_all(c.schedule, schedule::free_early); },
       .verify = verify_freed},
      {.name = "rematerialize",
       .sentence = "with `--remat`, values are computed again before their late readers until the peak fits the memory",
       .needs = {"cut_all_reduces"},
       .ensures = "a value that is computed again has the operation and the operands of the first one",
       .takes = kSchedule,
       .gives = kSchedule,
       .may_be_skipped = true,
       .decides = Decides::kMemory,
       .run =
           [](Compilation& c) {
             if (c.most_in_use() < spmd::kUnlimited) schedule::rematerialize(c.schedule, c.most_in_use());
           },
       .verify = verify_again},
      {.name = "plan_buffers",
       .sentence =
           "values get memory; values with disjoint live ranges share it, and ys take that of xs slice by slice",
       .needs = {"cut_all_reduces"},
       .ensures = "every value in memory has a buffer, and no two values that are live at the same time share one",
       .takes = kSchedule,
       .gives = kSchedule,
       .decides = Decides::kMemory,
       .run = [](Compilation& c) { schedule::plan_buffers(c.schedule); },
       .verify = verify_buffers},
  };
  return list;
}

const Pass* find_pass(std::string_view name) {
  const auto at = std::find_if(passes().begin(), passes().end(), [&](const Pass& pass) { return pass.name == name; });
  return at == passes().end() ? nullptr : &*at;
}

std::string_view name(Stage stage) {
  switch (stage) {
    case Stage::kProgram: return "program";
    case Stage::kLocalProgram: return "local program";
    case Stage::kSchedule: return "schedule";
  }
  return "";
}

}  // namespace mtf::plan
