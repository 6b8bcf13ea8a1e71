#include <algorithm>

#include "graph/region.h"
#include "run/bound_step.h"
#include "run/pipeline_executor.h"
#include "run/relay.h"
#include "run/scan_executor.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// Returns the sharded loop dim of the value outside the loop whose position an instruction of a body moves from its
/// owner or to its owner.
const spmd::LocalDim& stored_over(const spmd::LocalProgram& body, const spmd::Instruction& instruction,
                                  const Enclosing* enclosing) {
  MTF_CHECK(enclosing != nullptr, "a position of no loop");
  const spmd::LocalValue* value = nullptr;
  if (instruction.kind == spmd::InstructionKind::kFromOwner) {
    for (const spmd::Instruction& each : body.instructions)
      if (each.kind == spmd::InstructionKind::kInput && each.results[0] == instruction.operands[0])
        value = &enclosing->operand(each.input);
  } else {
    for (size_t r = 0; r < body.outputs.size(); ++r)
      if (body.outputs[r][0] == instruction.results[0]) value = &enclosing->result(static_cast<int>(r));
  }
  MTF_CHECK(value != nullptr, "{} is stored nowhere", body.values[instruction.results[0]].name);
  return value->dims[0];
}

/// Returns the index, along the axes of a pipeline's stages, of the stage that runs the last iteration.
int64_t last_stage(const graph::LaidOutOperation& pipeline) {
  const graph::Region& region = *pipeline.region;
  const int64_t last = pipeline.attributes.get<ops::ScanAttributes>().reverse ? 0 : region.iterations - 1;
  const Mesh& mesh = *pipeline.mesh;
  for (const int64_t processor : mesh.group(0, region.stages.set())) {
    const Interval block = block_of(region.iterations, region.stages, mesh, mesh.coordinates(processor));
    if (block.first <= last && last < block.last) return mesh.index_in_group(processor, region.stages.set());
  }
  MTF_CHECK(false, "no stage runs the last iteration");
  return 0;
}

std::unique_ptr<BoundCollective> bind_collective_step(const Frame& frame, const schedule::Step& step,
                                                      const Transport& transport, SharedMemory* shared,
                                                      const Enclosing* enclosing) {
  const spmd::LocalProgram& program = frame.program();
  const spmd::Instruction& first = program.instructions[step.instructions[0]];
  if (first.kind == spmd::InstructionKind::kTakeOver) return bind_take_over(frame, first, *enclosing);
  std::vector<const spmd::LocalValue*> operands, results;
  for (int i : step.instructions) {
    operands.push_back(&program.values[program.instructions[i].operands[0]]);
    results.push_back(&program.values[program.instructions[i].results[0]]);
  }
  const Hosting& host = frame.hosting(first.operands[0]);
  if (first.kind == spmd::InstructionKind::kFromOwner && first.node->region)
    return bind_relay(host, transport, *operands[0], *results[0], first.axes, last_stage(*first.node));
  if (first.kind == spmd::InstructionKind::kFromOwner || first.kind == spmd::InstructionKind::kToOwner)
    return bind_by_owner(host, transport, first.kind, *operands[0], *results[0], first.axes,
                         stored_over(program, first, enclosing), frame.position);
  if (!is_collective(first.kind)) return bind_slice(host, *operands[0], *results[0]);
  return bind_collective(host, first.kind, operands, results, first.axes, first.reduction, shared);
}

/// Gives each staging buffer the size that its step needs. Places the operand of a collective in shared memory if the
/// collective reads it in place and is its last reader. Otherwise the collective would copy the operand there first.
void bind_memory(Frame& frame, std::vector<BoundStep>& steps) {
  const std::vector<schedule::Buffer>& buffers = frame.schedule()->buffers;
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].kind != schedule::BufferKind::kStaging) continue;
    BoundStep& step = steps[buffers[b].first];
    step.buffer = static_cast<int>(b);
    if (step.is_left_out) frame.size_staging(step.buffer, 0, false);
    else if (step.loop) frame.size_staging(step.buffer, step.loop->arena_bytes(), false);
    else frame.size_staging(step.buffer, step.collective->staging_bytes(), step.collective->shares_memory());
  }
  int64_t shared_by_loops = 0;
  for (size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].loop) shared_by_loops = std::max(shared_by_loops, steps[s].loop->shared_bytes());
    if (steps[s].collective && steps[s].collective->lends_operand())
      frame.share_last_read(steps[s].first->operands[0], s);
  }
  frame.pack(shared_by_loops);
}

}  // namespace

std::vector<BoundStep> bind_steps(Frame& frame, Machine& machine, bool share, const Enclosing* enclosing) {
  const schedule::Schedule& schedule = *frame.schedule();
  std::vector<BoundStep> steps;
  for (const schedule::Step& step : schedule.steps) {
    BoundStep bound;
    bound.step = &step;
    bound.first = &frame.program().instructions[step.instructions[0]];
    switch (step.kind) {
      case schedule::StepKind::kKernel: bound.compute = bind_kernel(schedule, step, frame.hostings()); break;
      case schedule::StepKind::kWindow: bound.window_bytes = frame.most_bytes(step.writes[0]); break;
      case schedule::StepKind::kFusion: bound.compute = bind_loop(schedule, step, frame.hostings()); break;
      case schedule::StepKind::kIterations:
        bound.loop =
            bound.first->node->region->hands_on
                ? bind_pipeline(frame, machine, step)
                : bind_scan(frame, machine, step, share, enclosing && enclosing->stage ? enclosing->stage->chunk : 0);
        bound.is_left_out = enclosing && enclosing->stage && enclosing->stage->left_out.contains(bound.first);
        break;
      default:
        bound.collective =
            bind_collective_step(frame, step, machine.transport, share ? &machine.shared : nullptr, enclosing);
    }
    steps.push_back(std::move(bound));
  }
  bind_memory(frame, steps);
  for (BoundStep& step : steps) {
    if (!step.collective) continue;
    for (int i : step.step->instructions) {
      step.operands.push_back(frame.pointers().all(frame.program().instructions[i].operands[0]));
      step.results.push_back(frame.pointers().all(frame.program().instructions[i].results[0]));
    }
  }
  return steps;
}

}  // namespace mtf::run
