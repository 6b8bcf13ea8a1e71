#include "run/bound_plan.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "graph/kernel_call.h"
#include "graph/op.h"
#include "graph/region.h"
#include "ops/index.h"
#include "ops/loop.h"
#include "run/bound_step.h"
#include "run/memory_check.h"
#include "schedule/orders.h"
#include "schedule/pack.h"
#include "support/diagnostics.h"
#include "support/integers.h"

namespace mtf::run {
namespace {

struct CountedRun {
  plan::Counters counters;
  int64_t sent = 0;  ///< bytes that collectives sent to other ranks
};

/// Returns how many collective numbers a run uses at most, the same on all ranks.
int64_t collectives_of(const schedule::Schedule& schedule) {
  int64_t count = 0;
  for (const schedule::Step& step : schedule.steps) {
    const bool is_collective = step.kind == schedule::StepKind::kCollective || step.kind == schedule::StepKind::kSlice;
    if (step.turn) {
      const graph::LaidOutOperation& loop = *schedule.program.instructions[step.instructions[0]].node;
      count += most_turns(loop) * (collectives_of(*step.turn) + (loop.region->hands_on ? 1 : 0));
    } else if (is_collective) {
      ++count;
    }
  }
  return count;
}

/// Returns the first step that overwrites an input, after which the plan cannot be given up. Returns the number of
/// steps if no step does.
size_t writes_over_input(const schedule::Schedule& schedule) {
  const auto is_input = [&](int v) {
    const int buffer = schedule.buffer_of[v];
    return buffer >= 0 && schedule.buffers[buffer].kind == schedule::BufferKind::kInput;
  };
  const auto first = std::find_if(schedule.steps.begin(), schedule.steps.end(), [&](const schedule::Step& step) {
    return step.kind != schedule::StepKind::kWindow && std::any_of(step.writes.begin(), step.writes.end(), is_input);
  });
  return static_cast<size_t>(first - schedule.steps.begin());
}

}  // namespace

struct BoundPlan::Impl {
  struct Loop;
  struct Stage;
  class TakesOver;

  /// For the plan of a loop body: the enclosing program, and its loop instruction.
  struct Around {
    const spmd::LocalProgram* program;
    const spmd::Instruction* loop;
  };

  /// `stage`: the pipeline stage that runs this body; null outside of pipelines.
  Impl(std::shared_ptr<const schedule::Schedule> s, Machine& m, Hostings& h, bool share, Around loop = {},
       Stage* of = nullptr)
      : schedule(std::move(s)),
        program(schedule->program),
        machine(m),
        hostings(h),
        may_share(share),
        around(loop),
        stage(of) {
    number_of.assign(program.values.size(), 0);
    for (size_t i = 0; i < program.inputs.size(); ++i) input_of[program.inputs[i]] = static_cast<int>(i);
    for (const spmd::Instruction& instruction : program.instructions)
      if (schedule::is_host_number(instruction)) is_number.push_back(instruction.results[0]);
    bind_values();
    bind_buffers();
    bind_steps();
  }

  const Hosting& hosting(int value) { return hostings.of(program.values[value].mesh); }
  const Places& places(int value) { return hosting(value).places(program.values[value].varies()); }

  void bind_values() {
    size_t n = program.values.size();
    pointers.begin.assign(n, 0);
    pointers.places.assign(n, 0);
    for (size_t v = 0; v < n; ++v) {
      int root = schedule->alias_of[v];
      pointers.places[v] = places(static_cast<int>(v)).count();
      if (root != static_cast<int>(v)) {
        MTF_CHECK(pointers.places[v] == pointers.places[root], "{} shares the memory of {}", program.values[v].name,
                  program.values[root].name);
        pointers.begin[v] = pointers.begin[root];
        continue;
      }
      pointers.begin[v] = static_cast<int>(pointers.data.size());
      pointers.data.resize(pointers.data.size() + pointers.places[v], nullptr);
    }
  }

  void bind_buffers() {
    buffers.resize(schedule->buffers.size());
    for (size_t v = 0; v < program.values.size(); ++v)
      if (schedule->buffer_of[v] >= 0 && schedule->alias_of[v] == static_cast<int>(v))
        buffers[schedule->buffer_of[v]].values.push_back(static_cast<int>(v));
    std::vector<schedule::PackItem> alone;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const schedule::Buffer& buffer = schedule->buffers[b];
      BoundBuffer& bound = buffers[b];
      if (buffer.kind == schedule::BufferKind::kStaging) {
        bound.alone_bytes =
            staging_bytes(*schedule, schedule->steps[buffer.first], [](const spmd::LocalProgram& of, int value) {
              return most_elements(of.values[value]) * size_of(of.values[value].element);
            });
        bound.places = 1;
      } else {
        const spmd::LocalValue& value = program.values[buffer.value];
        const Hosting& host = hosting(buffer.value);
        bound.places = pointers.places[buffer.value];
        for (int hosted : places(buffer.value).first)
          bound.place_bytes =
              std::max(bound.place_bytes,
                       schedule::padded(block_at(value, host.coordinates()[hosted]).elements * size_of(value.element)));
        bound.alone_bytes = schedule::padded(bytes_of(buffer.value));
      }
      if (buffer.kind == schedule::BufferKind::kOutput) {
        const Hosting& host = hosting(buffer.value);
        most_hosted = std::max(most_hosted, ceil_div(host.mesh()->size(), host.ranks()));
        output_alone += bound.alone_bytes;
        output_bytes += bound.place_bytes * bound.places;
      }
      if (buffer.kind == schedule::BufferKind::kArena || buffer.kind == schedule::BufferKind::kStaging)
        alone.push_back({bound.alone_bytes, buffer.first, buffer.last, 0});
    }
    arena_alone = pack(alone);
  }

  int64_t bytes_of(int value) const {
    return most_elements(program.values[value]) * size_of(program.values[value].element);
  }

  void bind_steps() {
    for (size_t s = 0; s < schedule->steps.size(); ++s) {
      const schedule::Step& step = schedule->steps[s];
      BoundStep bound;
      bound.step = &step;
      bound.first = &program.instructions[step.instructions[0]];
      switch (step.kind) {
        case schedule::StepKind::kKernel: bound.compute = bind_kernel(*schedule, step, hostings); break;
        case schedule::StepKind::kWindow: bound.window_bytes = bytes_of(step.writes[0]); break;
        case schedule::StepKind::kLoop: bound.compute = bind_loop(*schedule, step, hostings); break;
        case schedule::StepKind::kTurns: loops[s] = bind_turns(step, *bound.first); break;
        default: bind_collective(bound, step);
      }
      steps.push_back(std::move(bound));
    }
    for (size_t b = 0; b < buffers.size(); ++b)
      if (schedule->buffers[b].kind == schedule::BufferKind::kStaging) {
        BoundStep& step = steps[schedule->buffers[b].first];
        step.buffer = static_cast<int>(b);
        if (const auto loop = loops.find(static_cast<size_t>(schedule->buffers[b].first)); loop != loops.end()) {
          for (const std::unique_ptr<Loop>& each : loop->second)
            buffers[b].place_bytes = std::max(buffers[b].place_bytes, each->bytes());
          continue;
        }
        buffers[b].place_bytes = schedule::padded(step.collective->staging_bytes());
        buffers[b].is_shared = step.collective->shares_memory();
      }
    lend_operands();
    arena_bytes = pack_buffers(false);
    own_shared_bytes = pack_buffers(true);
    shared_bytes = own_shared_bytes;
    for (const auto& [s, all] : loops)
      for (const std::unique_ptr<Loop>& loop : all)
        shared_bytes = std::max(shared_bytes, own_shared_bytes + loop->turn->shared_bytes);
    for (BoundStep& step : steps) {
      if (!step.collective) continue;
      for (int i : step.step->instructions) {
        step.operands.push_back(pointers.all(program.instructions[i].operands[0]));
        step.results.push_back(pointers.all(program.instructions[i].results[0]));
      }
    }
    find_awaited();
    stops_before = writes_over_input(*schedule);
  }

  /// Places the operand of a collective in shared memory if the collective reads it in place and is its last reader.
  /// Otherwise the collective would copy the operand there first.
  void lend_operands() {
    std::vector<size_t> last_reader(buffers.size(), 0);
    for (size_t s = 0; s < steps.size(); ++s)
      for (int value : steps[s].step->reads)
        if (const int buffer = schedule->buffer_of[value]; buffer >= 0) last_reader[static_cast<size_t>(buffer)] = s;
    for (size_t s = 0; s < steps.size(); ++s) {
      if (!steps[s].collective || !steps[s].collective->lends_operand()) continue;
      const int buffer = schedule->buffer_of[steps[s].first->operands[0]];
      if (schedule->buffers[buffer].kind == schedule::BufferKind::kArena && last_reader[buffer] == s)
        buffers[buffer].is_shared = true;
    }
  }

  /// Binds the body of a loop. For a pipeline: one body for each micro-batch and each stage that this rank hosts.
  std::vector<std::unique_ptr<Loop>> bind_turns(const schedule::Step& step, const spmd::Instruction& loop) {
    std::vector<std::unique_ptr<Loop>> all;
    const graph::Region& region = *loop.node->region;
    const MeshPtr& mesh = loop.node->mesh;
    const Hosting& host = hostings.of(mesh);
    const Around in_turn{&program, &loop};
    if (!region.hands_on) {
      const Interval turns = block_of(region.turns, region.stages, *mesh, host.coordinates()[0]);
      all.push_back(std::make_unique<Loop>(std::make_unique<Impl>(step.turn, machine, hostings, may_share, in_turn),
                                           *this, loop, turns, nullptr));
      return all;
    }
    for (int64_t turn = 0; turn < region.turns; ++turn)
      for (std::unique_ptr<Stage>& at : stages_of(*step.turn, loop, turn)) {
        auto own = std::make_unique<Impl>(step.turn, machine, at->hostings, false, in_turn, at.get());
        all.push_back(std::make_unique<Loop>(std::move(own), *this, loop, Interval{turn, turn + 1}, std::move(at)));
      }
    return all;
  }

  void bind_collective(BoundStep& bound, const schedule::Step& step) {
    const spmd::Instruction& first = *bound.first;
    if (first.kind == spmd::InstructionKind::kTakeOver) {
      auto takes_over = std::make_unique<TakesOver>(*this, first);
      taken_over[takes_over->output()] = steps.size();
      bound.collective = std::move(takes_over);
      return;
    }
    std::vector<const spmd::LocalValue*> operands, results;
    for (int i : step.instructions) {
      operands.push_back(&program.values[program.instructions[i].operands[0]]);
      results.push_back(&program.values[program.instructions[i].results[0]]);
    }
    const Hosting& host = hostings.of(operands[0]->mesh);
    if (first.kind == spmd::InstructionKind::kFromOwner || first.kind == spmd::InstructionKind::kToOwner)
      bound.collective =
          bind_by_owner(host, first.kind, *operands[0], *results[0], first.axes, stored_over(first), place_of_turn);
    else if (is_collective(first.kind))
      bound.collective = run::bind_collective(host, first.kind, operands, results, first.axes, first.reduction,
                                              may_share ? &machine.shared : nullptr);
    else bound.collective = bind_slice(host, *operands[0], *results[0]);
  }

  /// Returns the sharded loop dim of the value outside the loop whose position an instruction moves from its owner or
  /// to its owner.
  const spmd::LocalDim& stored_over(const spmd::Instruction& instruction) const {
    MTF_CHECK(around.loop != nullptr, "a place of no loop");
    const bool comes = instruction.kind == spmd::InstructionKind::kFromOwner;
    int value = -1;
    for (const spmd::Instruction& each : program.instructions)
      if (comes && each.kind == spmd::InstructionKind::kInput && each.results[0] == instruction.operands[0])
        value = around.loop->operands[static_cast<size_t>(each.input)];
    for (size_t r = 0; r < program.outputs.size(); ++r)
      if (!comes && program.outputs[r][0] == instruction.results[0]) value = around.loop->results[r];
    MTF_CHECK(value >= 0, "{} is stored nowhere", program.values[instruction.results[0]].name);
    return around.program->values[value].dims[0];
  }

  /// Packs this rank's buffers into the arena, or into its part of shared memory. A buffer has one block for each of
  /// its places. Returns the size.
  int64_t pack_buffers(bool shared) {
    std::vector<schedule::PackItem> items;
    std::vector<size_t> which;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const schedule::Buffer& buffer = schedule->buffers[b];
      if ((buffer.kind != schedule::BufferKind::kArena && buffer.kind != schedule::BufferKind::kStaging) ||
          buffers[b].is_shared != shared)
        continue;
      items.push_back({buffers[b].place_bytes * buffers[b].places, buffer.first, buffer.last, 0});
      which.push_back(b);
    }
    const int64_t bytes = pack(items);
    for (size_t i = 0; i < items.size(); ++i) buffers[which[i]].offset = items[i].offset;
    return bytes;
  }

  /// A collective ends before the first step that reads its result or may reuse its memory.
  void find_awaited() {
    for (size_t c = 0; c < steps.size(); ++c) {
      if (!steps[c].collective) continue;
      size_t end = static_cast<size_t>(std::max<int>(static_cast<int>(c) + 1, steps[c].step->finish));
      if (end < steps.size()) steps[end].awaits.push_back(static_cast<int>(c));
      else last_awaits.push_back(static_cast<int>(c));
    }
  }

  // ---- a run --------------------------------------------------------------------------------------------------------

  void fit_arena() {
    if (arena_bytes > 0 && (!machine.arena || machine.arena->bytes() < arena_bytes)) {
      machine.arena.reset();
      machine.pool->trim();  // no later request will have its size
      machine.arena = machine.pool->allocate(arena_bytes, 0);
    }
    point_arena(machine.arena ? machine.arena->data() : nullptr, machine.shared.part(machine.transport.rank()));
    if (!machine.scrub) return;
    if (arena_bytes > 0) std::memset(arena_base, 0xff, static_cast<size_t>(arena_bytes));
    if (shared_bytes > 0) std::memset(shared_base, 0xff, static_cast<size_t>(shared_bytes));
  }

  /// Sets the pointers of inputs to their tensors, and those of outputs to new memory. Returns the storages by buffer.
  std::vector<std::shared_ptr<Storage>> place_ends(std::span<const plan::PlanInput> inputs) {
    check_growth(machine.transport, *machine.pool, output_bytes, output_alone, most_hosted,
                 steps.empty() ? Span() : steps.back().first->node->span);
    std::vector<std::shared_ptr<Storage>> storages(buffers.size());
    for (size_t b = 0; b < buffers.size(); ++b) {
      const schedule::Buffer& buffer = schedule->buffers[b];
      const BoundBuffer& bound = buffers[b];
      if (buffer.kind == schedule::BufferKind::kInput) {
        const plan::Tensor& tensor = *inputs[input_of.at(buffer.value)].tensor;
        storages[b] = tensor.storage;
        const std::vector<int>& first = places(buffer.value).first;
        for (int v : bound.values)
          for (int place = 0; place < bound.places; ++place)
            pointers.data[pointers.begin[v] + place] = tensor.blocks[first[place]];
      } else if (buffer.kind == schedule::BufferKind::kOutput) {
        const int64_t bytes = bound.place_bytes * bound.places;
        storages[b] = machine.pool->allocate(bytes, bound.alone_bytes);
        if (machine.scrub) std::memset(storages[b]->data(), 0xff, static_cast<size_t>(bytes));
        point(bound, storages[b]->data());
      }
    }
    machine.pool->note_alone(arena_alone);
    return storages;
  }

  void read_numbers(std::span<const plan::PlanInput> inputs) {
    for (int v : is_number) {
      const double number = inputs[input_of.at(v)].number;
      number_of[v] = number;
      if (schedule->buffer_of[v] < 0) continue;
      for (int place = 0; place < pointers.places[v]; ++place)
        plan::store_number(program.values[v].element, number, pointers.at(v, place));
    }
  }

  /// Runs the steps. Returns the sum of their floating-point operations; each step counts its busiest place.
  int64_t run_steps(const plan::PlanInputs& inputs) {
    const bool is_first = first_flops < 0;
    // Any thread of a long kernel may call these functions, but only the calling thread may use messages.
    bool may_stop = false;
    const std::function<void()> stop = [&] {
      if (may_stop && machine.interrupt.is_wanted()) throw Stopped();
    };
    const std::thread::id caller = std::this_thread::get_id();
    const std::function<void()> advance = [&] {
      if (std::this_thread::get_id() != caller) return;
      if (machine.timeline) read_clock();
      for (int other : under_way)
        hand_to_mpi(steps[other], [&](BoundCollective& collective) { collective.advance(machine.transport); });
      if (!machine.handed_on.empty()) machine.transport.test(machine.handed_on);
    };
    int64_t flops = 0;
    if (is_first) {
      flops_of_step.assign(steps.size(), 0);
      for (BoundStep& step : steps) step.sent = 0;
    }
    under_way.clear();
    if (machine.timeline) read_clock();
    for (size_t s = 0; s < steps.size(); ++s) {
      BoundStep& step = steps[s];
      for (int awaited : step.awaits) finish(awaited);
      machine.at.store(step.first, std::memory_order_relaxed);
      machine.moved.fetch_add(1, std::memory_order_relaxed);
      may_stop = machine.transport.ranks() == 1 && s < stops_before;
      if (may_stop && machine.interrupt.is_wanted()) end_early(*step.first);
      if (step.collective) {
        begin(static_cast<int>(s));
        continue;
      }
      if (const auto loop = loops.find(s); loop != loops.end()) {
        while (!under_way.empty()) finish(under_way[0]);  // iterations reuse the memory of collectives
        const double began = clock, busy = machine.timeline ? machine.timeline->busy() : 0;
        run_loop(loop->second, step, inputs.numbers(*step.first), s < stops_before);
        if (machine.timeline) {
          read_clock();
          machine.timeline->add_up(schedule, static_cast<int>(s), clock - began - (machine.timeline->busy() - busy));
        }
        continue;
      }
      try {
        if (step.step->kind == schedule::StepKind::kWindow) {
          open_window(step, inputs.numbers(*step.first)[0]);
          continue;
        }
        const bool overlaps = (!under_way.empty() || !machine.handed_on.empty()) && machine.transport.ranks() > 1;
        if (overlaps) advance();
        const std::span<const double> host =
            step.step->kind == schedule::StepKind::kKernel ? inputs.numbers(*step.first) : std::span<const double>();
        const double began = clock;
        const int64_t done = step.compute->run({pointers, machine.threads, host, number_of, overlaps ? advance : stop});
        if (machine.timeline) read_clock(), note(s, began, clock - began);
        flops += done;
        if (is_first) flops_of_step[s] = done;
      } catch (const Stopped&) { end_early(*step.first); } catch (const graph::ElementError& error) {
        fail_at(operation_of(*step.first, inputs), error);
      }
    }
    for (int awaited : last_awaits) finish(awaited);
    machine.at.store(nullptr, std::memory_order_relaxed);
    return flops;
  }

  /// The operation that an instruction is in the program of this run: another of the same form may have made the plan.
  static const graph::LaidOutOperation& operation_of(const spmd::Instruction& instruction,
                                                     const plan::PlanInputs& inputs) {
    if (instruction.origin < 0) return *instruction.node;
    const graph::Program& program = inputs.region ? inputs.region->turn : *inputs.program;
    return *program.operations[instruction.origin].operation;
  }

  /// Tells through which calls the operation was come to, the innermost first.
  [[noreturn]] static void fail_at(const graph::LaidOutOperation& operation, const graph::ElementError& error) {
    constexpr int kMostCalls = 16;
    Diagnostic diagnostic(error.kind, operation.span, error.message);
    int calls = 0;
    for (const graph::CallFrame* frame = operation.frame.get(); frame && calls < kMostCalls;
         frame = frame->caller.get())
      if (frame->span.is_known() && ++calls > 0)
        diagnostic.related(frame->span, frame->backward ? "in the gradient of this" : "called here");
    fail(std::move(diagnostic));
  }

  /// Somebody wants the step that is under way to end.
  struct Stopped {};
  [[noreturn]] void end_early(const spmd::Instruction& at) {
    while (!under_way.empty()) finish(under_way[0]);
    machine.at.store(nullptr, std::memory_order_relaxed);
    fail(Kind::interrupted, at.node->span);
  }

  void begin(int s) {
    BoundStep& step = steps[s];
    std::byte* staging = nullptr;
    if (step.buffer >= 0) staging = buffers[step.buffer].is_shared ? shared_base : arena_base;
    if (staging != nullptr) staging += buffers[step.buffer].offset;
    step.number = machine.collectives_begun++;
    const int64_t most = std::min(machine.transport.collectives_at_once(), SharedMemory::kNotices);
    while (!under_way.empty() && step.number - steps[under_way[0]].number >= most) finish(under_way[0]);
    step.busy = 0;
    step.began = clock;
    hand_to_mpi(step, [&](BoundCollective& collective) {
      collective.begin(step.operands, step.results, {machine.transport, staging, step.number});
    });
    under_way.push_back(s);
  }

  void finish(int s) {
    machine.at.store(steps[s].first, std::memory_order_relaxed);
    hand_to_mpi(steps[s], [&](BoundCollective& collective) { collective.finish(machine.transport); });
    std::erase(under_way, s);
    if (machine.timeline) note(static_cast<size_t>(s), steps[s].began, steps[s].busy);
  }

  void note(size_t s, double began, double busy) {
    const int64_t number = steps[s].collective ? steps[s].number : -1;
    machine.timeline->add({schedule, static_cast<int>(s), began, clock, busy, hostings.some(), number});
  }

  /// Reads the clock. Returns the time since the last reading.
  double read_clock() {
    const double before = std::exchange(clock, machine.timeline->now());
    return clock - before;
  }

  /// Calls `work` with the step's collective. The first run records the bytes that it sends.
  template <typename Work>
  void hand_to_mpi(BoundStep& step, const Work& work) {
    const int64_t before = machine.transport.sent();
    work(*step.collective);
    if (machine.timeline) step.busy += read_clock();
    if (first_flops < 0) step.sent += machine.transport.sent() - before;
  }

  std::vector<std::shared_ptr<plan::Tensor>> outputs(const std::vector<std::shared_ptr<Storage>>& storages) {
    std::vector<std::shared_ptr<plan::Tensor>> tensors;
    std::map<int, std::shared_ptr<plan::Tensor>> made;
    for (const std::vector<int>& output : program.outputs) {
      const int v = output[0];
      std::shared_ptr<plan::Tensor>& tensor = made[v];
      if (!tensor) {
        const spmd::LocalValue& value = program.values[v];
        tensor = std::make_shared<plan::Tensor>(plan::Tensor{
            value.type(), value.mesh, value.sharding(), value.order, storages[schedule->buffer_of[v]], {}});
        for (int place : places(v).of) tensor->blocks.push_back(pointers.at(v, place));
      }
      tensors.push_back(tensor);
    }
    return tensors;
  }

  /// Sets the pointers of all buffers in the arena and in this rank's part of shared memory. `shared` may be null.
  void point_arena(std::byte* base, std::byte* shared) {
    if (pointed && arena_base == base && shared_base == shared) return;
    pointed = true;
    arena_base = base;
    shared_base = shared;
    for (size_t b = 0; b < buffers.size(); ++b)
      if (schedule->buffers[b].kind == schedule::BufferKind::kArena)
        point(buffers[b], (buffers[b].is_shared ? shared : base) + buffers[b].offset);
  }

  /// Sets the pointers of the values in a buffer, one place after another.
  void point(const BoundBuffer& buffer, std::byte* base) {
    for (int v : buffer.values)
      for (int p = 0; p < buffer.places; ++p) pointers.data[pointers.begin[v] + p] = base + p * buffer.place_bytes;
  }

  /// Points a window at the position of its operand that a host number names.
  void open_window(const BoundStep& step, double number) {
    const graph::LaidOutOperation& operation = *step.first->node;
    const int from = step.first->operands[0], to = step.first->results[0];
    const int64_t place = ops::checked_place(operation.operands[0].dims[operation.op->dim_of_place(operation)], number);
    for (int p = 0; p < pointers.places[to]; ++p)
      pointers.data[pointers.begin[to] + p] = static_cast<std::byte*>(pointers.at(from, p)) + place * step.window_bytes;
  }

  /// Runs all steps; the pointers of the inputs are set.
  void run_placed(const plan::PlanInputs& inputs) {
    read_numbers(inputs.values);
    const int64_t flops = run_steps(inputs);
    if (first_flops < 0) first_flops = flops;
    MTF_CHECK(flops == first_flops, "a plan did {} operations, now {}", first_flops, flops);
  }

  /// Runs a loop. For a pipeline: runs each hosted stage with each micro-batch.
  void run_loop(const std::vector<std::unique_ptr<Loop>>& all, const BoundStep& step, std::span<const double> numbers,
                bool may_stop) {
    if (!all[0]->region.hands_on) return all[0]->run(*this, step, numbers, may_stop);
    const int64_t begun = machine.collectives_begun, of_turn = all[0]->stage->collectives;
    all[0]->zero_sums(*this);
    for (const std::unique_ptr<Loop>& each : all) {
      if (!each->stage->has_turns) continue;
      machine.collectives_begun = begun + each->turns.first * of_turn;
      each->stage->number = machine.collectives_begun++;
      each->run(*this, step, numbers, may_stop);
      each->hand_on(*this);
    }
    machine.collectives_begun = begun + all[0]->region.turns * of_turn;
    machine.transport.wait(machine.handed_on);
    all[0]->zero_carried(*this);
  }

  /// Returns this rank's figures of the first run: those of each step, then for each loop its iterations and the
  /// figures of its body. The maximum over all ranks counts.
  std::vector<int64_t> figures() const {
    std::vector<int64_t> all = flops_of_step;
    all.resize(steps.size());
    for (const BoundStep& step : steps) {
      const plan::CollectiveCount count = step.collective ? step.collective->counted() : plan::CollectiveCount{};
      for (int64_t figure : {count.count, count.values, count.bytes, count.wire_bytes, step.sent})
        all.push_back(figure);
    }
    for (const auto& [s, turns] : loops) {
      std::vector<int64_t> most;
      for (const std::unique_ptr<Loop>& each : turns) {
        std::vector<int64_t> one = each->turn->figures();
        one.insert(one.begin(), each->region.hands_on ? each->region.turns : each->turns.size());
        most.resize(one.size());
        for (size_t i = 0; i < one.size(); ++i) most[i] = std::max(most[i], one[i]);
      }
      all.insert(all.end(), most.begin(), most.end());
    }
    return all;
  }

  /// Reads counters from `figures`, in the order in which figures() wrote them. Advances `figures`.
  CountedRun counted_run(const int64_t*& figures) const {
    CountedRun run;
    const int64_t *const flops = figures, *counts = figures + steps.size();
    figures = counts + 5 * steps.size();
    for (size_t s = 0; s < steps.size(); ++s, counts += 5) {
      run.counters.flops += flops[s];
      run.sent += counts[4];
      if (counts[0] == 0) continue;
      const spmd::Instruction& first = *steps[s].first;
      const MeshPtr& mesh = program.values[first.operands[0]].mesh;
      run.counters.collectives[static_cast<int>(counted_as(first.kind))][mesh->names_of(first.axes)] +=
          plan::CollectiveCount{counts[0], steps[s].step->calls, counts[1], counts[2], counts[3]};
    }
    for (const auto& [s, turns] : loops) {
      const int64_t times = *figures++;
      const CountedRun turn = turns[0]->turn->counted_run(figures);
      add_times(run.counters, turn.counters, times);
      run.sent += turn.sent * times;
    }
    return run;
  }

  /// Counts the first run. All ranks call it together.
  void count() {
    std::vector<int64_t> most = figures();
    machine.transport.max_of_all(most);
    const int64_t* next = most.data();
    CountedRun run = counted_run(next);
    counted = std::move(run.counters);
    sent = run.sent;
    is_counted = true;
  }

  /// One stage of a pipeline with one micro-batch, on this rank.
  struct Stage {
    /// A message to the next stage on another rank.
    struct Send {
      int output;  ///< of the body
      int peer;
      int place;  ///< of the loop's result
      int64_t bytes;
    };

    Stage(Hostings& around, std::unique_ptr<Hosting> own) : hostings(around, std::move(own)) {}

    int tag(const Transport& transport, int output) const {
      return transport.tag_of(number) + output % Transport::kTagsOfCollective;
    }

    Hostings hostings;  ///< of its body
    Impl* around = nullptr;
    const spmd::Instruction* loop = nullptr;
    int64_t micro_batch = 0;
    bool has_turns = false;
    int32_t carried = 0;      ///< the number of carried outputs; they come first and go to the next stage
    std::vector<int> hosted;  ///< for each processor of the stage: its index in the enclosing hosting
    /// For each processor of the stage: the processor of the previous stage; empty for the first.
    std::vector<int64_t> before;
    std::vector<bool> on_last;  ///< for each processor of the enclosing hosting: it is in the last stage
    std::vector<Send> sends;
    int64_t collectives = 0;  ///< numbers that a micro-batch uses for its collectives and itself, in the largest stage
    int64_t number = 0;       ///< among collective numbers, the same on all ranks
  };

  /// Returns the pipeline stages that this rank hosts. Stages with iterations come first, in the order in which
  /// micro-batches pass through them.
  std::vector<std::unique_ptr<Stage>> stages_of(const schedule::Schedule& turn, const spmd::Instruction& loop,
                                                int64_t micro_batch) {
    const graph::Region& region = *loop.node->region;
    const Mesh& mesh = *loop.node->mesh;
    const Hosting& host = hostings.of(loop.node->mesh);
    const AxisSet axes = region.stages.set();
    const auto inner = std::find_if(turn.program.instructions.begin(), turn.program.instructions.end(),
                                    [](const spmd::Instruction& each) { return each.turn != nullptr; });
    struct At {
      Interval turns;
      int64_t processor;  ///< the first of the stage
    };
    std::vector<At> all;
    for (const int64_t processor : mesh.group(0, axes))
      all.push_back(
          {block_of(inner->node->region->turns, region.stages, mesh, mesh.coordinates(processor)), processor});
    const bool reverse = loop.node->attributes.get<ops::ScanAttributes>().reverse;
    std::stable_sort(all.begin(), all.end(), [&](const At& a, const At& b) {
      if (a.turns.size() == 0 || b.turns.size() == 0) return a.turns.size() > b.turns.size();
      return reverse ? a.turns.first > b.turns.first : a.turns.first < b.turns.first;
    });
    const auto busy = std::count_if(all.begin(), all.end(), [](const At& each) { return each.turns.size() > 0; });
    const auto is_of = [&mesh, axes](int64_t processor, const At& at) {
      return mesh.place_in_group(processor, axes) == mesh.place_in_group(at.processor, axes);
    };
    const int64_t collectives = collectives_of(turn) + 1;
    std::vector<std::unique_ptr<Stage>> stages;
    for (size_t s = 0; s < all.size(); ++s) {
      const At& at = all[s];
      auto own = std::make_unique<Hosting>(host, turn.program.values[turn.program.outputs[0][0]].mesh, micro_batch,
                                           [is_of, at](int64_t processor) { return is_of(processor, at); });
      if (own->processors().empty()) continue;
      auto stage = std::make_unique<Stage>(hostings, std::move(own));
      stage->around = this;
      stage->loop = &loop;
      stage->micro_batch = micro_batch;
      stage->collectives = collectives;
      stage->carried = inner->node->region->carried;
      stage->has_turns = at.turns.size() > 0;
      for (size_t i = 0; i < host.processors().size(); ++i) {
        const int64_t processor = host.processors()[i];
        stage->on_last.push_back(is_of(processor, all[static_cast<size_t>(busy - 1)]));
        if (!is_of(processor, at)) continue;
        stage->hosted.push_back(static_cast<int>(i));
        if (s > 0) stage->before.push_back(processor - at.processor + all[s - 1].processor);
      }
      if (static_cast<std::ptrdiff_t>(s) + 1 < busy)
        add_sends(*stage, turn, [&](int64_t processor) {
          return is_of(processor, all[s + 1]) ? processor - all[s + 1].processor + at.processor : -1;
        });
      stages.push_back(std::move(stage));
    }
    return stages;
  }

  /// `before` returns the processor of this stage that precedes a processor of the next stage, or -1.
  void add_sends(Stage& stage, const schedule::Schedule& turn, const std::function<int64_t(int64_t)>& before) {
    const Hosting& host = hostings.of(stage.loop->node->mesh);
    for (const spmd::Instruction& each : turn.program.instructions) {
      if (each.kind != spmd::InstructionKind::kTakeOver) continue;
      const int output = schedule::output_taken_over(turn.program, each);
      const spmd::LocalValue& value = program.values[stage.loop->results[output]];
      for (int rank = 0; rank < host.ranks(); ++rank) {
        if (rank == host.rank()) continue;
        const Places& theirs = host.places(rank, value.varies());
        for (const int first : theirs.first) {
          const int64_t from = before(host.processors(rank)[first]);
          if (from < 0 || host.rank_of(from) != host.rank()) continue;
          const int hosted = host.index_of(from);
          stage.sends.push_back({output, rank, host.places(value.varies()).of[hosted],
                                 block_at(value, host.coordinates()[hosted]).elements * size_of(value.element) /
                                     stage.loop->node->region->turns});
        }
      }
    }
  }

  /// Receives the carry of a micro-batch from the previous stage. The first stage copies the initial carry of the loop.
  class TakesOver : public BoundCollective {
   public:
    TakesOver(Impl& own, const spmd::Instruction& instruction)
        : stage_(*own.stage), output_(schedule::output_taken_over(own.program, instruction)) {
      const spmd::LocalValue& value = own.program.values[instruction.operands[0]];
      const Hosting& host = stage_.around->hostings.of(stage_.loop->node->mesh);
      const int result = stage_.loop->results[output_];
      for (const int hosted : own.places(instruction.operands[0]).first) {
        Piece piece;
        piece.bytes = block_at(value, own.hosting(instruction.operands[0]).coordinates()[hosted]).elements *
                      size_of(value.element);
        if (!stage_.before.empty()) {
          piece.peer = host.rank_of(stage_.before[hosted]);
          if (piece.peer == host.rank())
            piece.place = stage_.around->places(result).of[host.index_of(stage_.before[hosted])];
        }
        pieces_.push_back(piece);
      }
      counted_.count = 1;
      counted_.values = most_elements(value);
      counted_.bytes = counted_.wire_bytes = counted_.values * size_of(value.element);
    }

    int output() const { return output_; }
    int64_t staging_bytes() const override { return 0; }
    plan::CollectiveCount counted() const override { return counted_; }

    void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
               const CollectiveRun& run) override {
      for (size_t p = 0; p < pieces_.size(); ++p) {
        const Piece& piece = pieces_[p];
        if (piece.peer >= 0 && piece.place < 0) {
          run.transport.receive(pending_, piece.peer, stage_.tag(run.transport, output_), results[0][p], piece.bytes);
          continue;
        }
        const void* from = operands[0][p];
        if (piece.place >= 0)
          from = static_cast<const std::byte*>(stage_.around->pointers.at(stage_.loop->results[output_], piece.place)) +
                 stage_.micro_batch * piece.bytes;
        std::memcpy(results[0][p], from, static_cast<size_t>(piece.bytes));
      }
    }
    bool advance(Transport& transport) override { return transport.test(pending_); }

   protected:
    void wait(Transport& transport) override { transport.wait(pending_); }

   private:
    struct Piece {
      int64_t bytes = 0;
      int peer = -1;   ///< the rank that hosts the previous stage; -1: there is none
      int place = -1;  ///< of the loop's result, if this rank hosts the previous stage
    };
    const Stage& stage_;
    const int output_;
    std::vector<Piece> pieces_;
    plan::CollectiveCount counted_;
    Transport::Pending pending_;
  };

  /// A bound loop: the plan of its body, the memory of xs and ys, and the carry between iterations.
  struct Loop {
    /// `own`: the iterations that it runs; `at`: its pipeline stage, if any.
    Loop(std::unique_ptr<Impl> of, Impl& around, const spmd::Instruction& first, Interval own,
         std::unique_ptr<Stage> at)
        : stage(std::move(at)),
          turn(std::move(of)),
          loop(first),
          region(*first.node->region),
          turns(own),
          attributes(first.node->attributes.get<ops::ScanAttributes>()) {
      inputs.region = &region;
      inputs.values.resize(turn->program.inputs.size());
      left.resize(turn->program.outputs.size());
      for (const spmd::Instruction& instruction : turn->program.instructions) {
        if (instruction.kind != spmd::InstructionKind::kInput) continue;
        const int value = instruction.results[0];
        const auto sums = static_cast<size_t>(region.carried + region.stacked);
        const auto input = static_cast<size_t>(instruction.input);
        if (instruction.sum >= 0) left[sums + static_cast<size_t>(instruction.sum)].input = value;
        else if (schedule::is_host_number(instruction) && input < region.turn.inputs.size())
          numbers.emplace_back(value, region.input_number[input]);
        else if (schedule::is_host_number(instruction))  // made by an expansion
          inputs.values[turn->input_of.at(value)].number = instruction.node->inputs[0];
        else if (instruction.input < region.carried) left[input].input = value;
        else
          tensors.push_back({value, static_cast<int>(input), outside(around, value, loop.operands[input]),
                             held(around, value, loop.operands[input], region.is_placed(input))});
      }
      for (size_t r = 0; r < left.size(); ++r) {
        left[r].outside = outside(around, value_of(r), loop.results[r]);
        left[r].held = held(around, value_of(r), loop.results[r], is_stacked(r));
      }
      for (size_t c = 0; c < static_cast<size_t>(region.carried); ++c)
        starts.push_back(outside(around, value_of(c), loop.operands[c]));
      int64_t offset = turn->arena_bytes;
      for (size_t output : second_places(*turn->schedule, region)) {
        left[output].second = offset;
        for (int place = 0; place < places(output); ++place) offset += schedule::padded(bytes_at(output, place));
      }
      bytes_ = offset;
      // The body writes a buffer directly to the memory of one of its outputs. Other outputs in the buffer are copied.
      std::vector<int> owner(turn->buffers.size(), -1);
      for (const bool second : {true, false})
        for (size_t r = 0; r < left.size(); ++r) {
          const int buffer = turn->schedule->buffer_of[value_of(r)];
          if (turn->schedule->buffers[buffer].kind != schedule::BufferKind::kOutput || owner[buffer] >= 0) continue;
          if (second != (left[r].second >= 0)) continue;
          owner[buffer] = static_cast<int>(r);
          left[r].buffer = buffer;
        }
    }

    /// Bytes of arena that the loop needs while it runs.
    int64_t bytes() const { return schedule::padded(bytes_); }

    void run(Impl& around, const BoundStep& step, std::span<const double> numbers_of_loop, bool may_stop) {
      std::byte* const base = around.arena_base ? around.arena_base + around.buffers[step.buffer].offset : nullptr;
      turn->point_arena(base, around.shared_base ? around.shared_base + around.own_shared_bytes : nullptr);
      turn->stops_before = may_stop ? turn->steps.size() : 0;
      for (size_t r = 0; r < left.size(); ++r) begin(around, r, base);
      for (const Outside& each : tensors)
        if (!region.is_placed(static_cast<size_t>(each.operand)))
          for (int place = 0; place < turn->pointers.places[each.value]; ++place)
            turn->point_value(each.value, place, around.pointers.at(loop.operands[each.operand], each.places[place]));
      for (int64_t i = 0; i < turns.size(); ++i) {
        const int64_t at = attributes.reverse ? turns.last - 1 - i : turns.first + i;
        const bool from_last = attributes.reverse != attributes.counts_down;
        run_turn(around, at, region.numbers_of_turn(numbers_of_loop, from_last ? region.turns - 1 - at : at));
      }
      for (size_t r = 0; r < left.size(); ++r) {
        if (is_stacked(r)) continue;
        for (int place = 0; place < places(r); ++place)
          if (void* const home = around.pointers.at(loop.results[r], left[r].outside[place]);
              left[r].now[place] != home)
            std::memcpy(home, left[r].now[place], static_cast<size_t>(bytes_at(r, place)));
      }
    }

    // ---- of a pipeline ----

    /// Sends the carry of a micro-batch to the next stage, if other ranks host that stage.
    void hand_on(Impl& around) {
      Machine& machine = around.machine;
      for (const Stage::Send& send : stage->sends) {
        const auto* all = static_cast<const std::byte*>(around.pointers.at(loop.results[send.output], send.place));
        machine.transport.send(machine.handed_on, send.peer, stage->tag(machine.transport, send.output),
                               all + turns.first * send.bytes, send.bytes);
        if (turns.first == 0) turn->steps[turn->taken_over[send.output]].sent += send.bytes;
      }
    }

    /// Fills sums over micro-batches or stages with zeros.
    void zero_sums(Impl& around) const {
      for (size_t r = 0; r < left.size(); ++r)
        if (!is_stacked(r) || (around.program.values[loop.results[r]].partial & region.stages.set()))
          around.zero(loop.results[r], [](int) { return true; });
    }
    /// Fills the final carry with zeros except on the last stage.
    void zero_carried(Impl& around) const {
      for (int32_t c = 0; c < stage->carried; ++c)
        around.zero(loop.results[c], [&](int hosted) { return !stage->on_last[hosted]; });
    }

    std::unique_ptr<Stage> stage;
    std::unique_ptr<Impl> turn;
    const spmd::Instruction& loop;
    const graph::Region& region;
    const Interval turns;

   private:
    /// Maps each place of a value in the body to the place of the enclosing value that contains it.
    std::vector<int> outside(Impl& around, int value, int of) const {
      std::vector<int> places;
      for (const int hosted : turn->places(value).first)
        places.push_back(around.places(of).of[stage ? stage->hosted[hosted] : hosted]);
      return places;
    }

    /// For xs or ys whose loop dim is sharded: returns the interval of positions that each place stores. Returns
    /// nothing for other values.
    std::vector<Interval> held(Impl& around, int value, int of, bool is_at_place) const {
      std::vector<Interval> intervals;
      const spmd::LocalValue& all = around.program.values[of];
      if (!is_at_place || region.hands_on || !region.stages.empty() || all.dims[0].axes.empty()) return intervals;
      const Hosting& host = turn->hosting(value);
      for (const int hosted : turn->places(value).first)
        intervals.push_back(bounds(all.dims[0], *all.mesh, host.coordinates()[hosted]));
      return intervals;
    }

    /// A tensor that the body reads, and the operand of the loop that contains it.
    struct Outside {
      int value, operand;
      std::vector<int> places;
      std::vector<Interval> held;
    };
    /// An output of the body. For a carry or a sum, `now` is the memory that this iteration reads and `next` the memory
    /// that it writes. Both are the same memory unless the output has a second buffer.
    struct Left {
      int input = -1;            ///< the body's input that reads the output in the next iteration; -1: none
      int64_t second = -1;       ///< offset of its second buffer in the loop's memory; -1: it needs none
      int buffer = -1;           ///< the buffer that is written in place; -1: the output is copied
      std::vector<int> outside;  ///< for each place: the place of the loop's result
      std::vector<Interval> held;
      std::vector<void*> now, next;  ///< for each place
    };

    bool is_stacked(size_t r) const {
      return static_cast<int32_t>(r) >= region.carried && static_cast<int32_t>(r) < region.carried + region.stacked;
    }
    int value_of(size_t r) const { return turn->program.outputs[r][0]; }
    int places(size_t r) const { return turn->pointers.places[value_of(r)]; }
    int64_t bytes_at(size_t r, int place) const { return turn->block_bytes(value_of(r), place); }

    void begin(Impl& around, size_t r, std::byte* base) {
      if (is_stacked(r)) return;
      Left& each = left[r];
      each.now.clear();
      each.next.clear();
      std::byte* second = each.second < 0 ? nullptr : base + each.second;
      for (int place = 0; place < places(r); ++place) {
        each.now.push_back(around.pointers.at(loop.results[r], each.outside[place]));
        each.next.push_back(second);
        if (second) second += schedule::padded(bytes_at(r, place));
      }
      // The last iteration then writes the result's memory.
      if (each.second >= 0 && turns.size() % 2 != 0) std::swap(each.now, each.next);
      for (int place = 0; place < places(r); ++place) {
        const auto bytes = static_cast<size_t>(bytes_at(r, place));
        if (static_cast<int32_t>(r) < region.carried)
          std::memcpy(each.now[place], around.pointers.at(loop.operands[r], starts[r][place]), bytes);
        else if (!region.hands_on) std::memset(each.now[place], 0, bytes);
        else if (each.second >= 0) std::memcpy(each.now[place], each.next[place], bytes);
      }
    }

    void run_turn(Impl& around, int64_t at, std::vector<double> numbers_now) {
      for (const Outside& each : tensors)
        if (region.is_placed(static_cast<size_t>(each.operand)))
          for (int place = 0; place < turn->pointers.places[each.value]; ++place) {
            void* const all = around.pointers.at(loop.operands[each.operand], each.places[place]);
            turn->point_value(each.value, place,
                              at_place(all, at, each.held, place, turn->block_bytes(each.value, place)));
          }
      for (const auto& [value, number] : numbers) inputs.values[turn->input_of.at(value)].number = numbers_now[number];
      for (size_t r = 0; r < left.size(); ++r)
        for (int place = 0; place < places(r); ++place) {
          if (left[r].input >= 0) turn->point_value(left[r].input, place, left[r].now[place]);
          if (left[r].buffer >= 0) turn->point_buffer(left[r].buffer, place, wanted(around, r, place, at));
        }
      inputs.turn_numbers = std::move(numbers_now);
      turn->place_of_turn = at;
      turn->run_placed(inputs);
      for (size_t r = 0; r < left.size(); ++r) {
        if (left[r].buffer >= 0 || (!is_stacked(r) && left[r].second < 0)) continue;
        for (int place = 0; place < places(r); ++place)
          if (void* const to = wanted(around, r, place, at), * const from = turn->pointers.at(value_of(r), place);
              to && to != from)  // ys that are written over xs are there already
            std::memcpy(to, from, static_cast<size_t>(bytes_at(r, place)));
      }
      for (Left& each : left)
        if (each.second >= 0) std::swap(each.now, each.next);
    }

    /// Returns the memory for an output of the iteration at position `at`; null if another processor stores it.
    void* wanted(Impl& around, size_t r, int place, int64_t at) const {
      if (!is_stacked(r)) return left[r].next[place];
      void* const all = around.pointers.at(loop.results[r], left[r].outside[place]);
      const spmd::LocalValue& value = turn->program.values[value_of(r)];
      // Every iteration has the same value.
      if (region.hands_on && !has_dim(value.type().dims, region.micro)) return all;
      return at_place(all, at, left[r].held, place, bytes_at(r, place));
    }

    /// Returns the memory of position `at` in a processor's block of xs or ys; null if another processor stores it.
    void* at_place(void* all, int64_t at, const std::vector<Interval>& held, int place, int64_t bytes) const {
      int64_t first = region.hands_on ? 0 : turns.first;
      if (!held.empty()) {
        const Interval& own = held[static_cast<size_t>(place)];
        if (at < own.first || at >= own.last) return nullptr;
        first = own.first;
      }
      return static_cast<std::byte*>(all) + (at - first) * bytes;
    }

    const ops::ScanAttributes& attributes;
    plan::PlanInputs inputs;
    std::vector<Outside> tensors;
    std::vector<std::vector<int>> starts;  // for each carry and place: the place of the loop's operand
    // Number values of the body, with their indices among the loop's numbers.
    std::vector<std::pair<int, int32_t>> numbers;
    std::vector<Left> left;
    int64_t bytes_ = 0;
  };

  /// Fills a value with zeros on the processors for which `is_wanted` is true.
  void zero(int value, const std::function<bool(int hosted)>& is_wanted) {
    const Places& at = places(value);
    for (size_t place = 0; place < at.first.size(); ++place)
      if (is_wanted(at.first[place]))
        std::memset(pointers.at(value, static_cast<int>(place)), 0,
                    static_cast<size_t>(block_bytes(value, static_cast<int>(place))));
  }

  /// Returns the bytes of a value's block at a place.
  int64_t block_bytes(int value, int place) {
    const spmd::LocalValue& of = program.values[value];
    const int hosted = places(value).first[static_cast<size_t>(place)];
    return block_at(of, hosting(value).coordinates()[hosted]).elements * size_of(of.element);
  }

  /// Points all values of a buffer, or of an input's memory, at `memory` for one place.
  void point_buffer(int buffer, int place, void* memory) {
    for (int v : buffers[buffer].values) pointers.data[pointers.begin[v] + place] = memory;
  }
  void point_value(int value, int place, void* memory) {
    if (schedule->buffer_of[value] >= 0) point_buffer(schedule->buffer_of[value], place, memory);
  }

  std::shared_ptr<const schedule::Schedule> schedule;
  const spmd::LocalProgram& program;
  Machine& machine;
  Hostings& hostings;
  const bool may_share;
  const Around around;
  Stage* const stage;
  int64_t place_of_turn = 0;                                   // for a loop body: the position of the iteration
  std::map<size_t, std::vector<std::unique_ptr<Loop>>> loops;  // by step
  std::map<int, size_t> taken_over;  // for a stage's body, by output: the step that receives it from the previous stage
  bool is_counted = false;
  plan::Counters counted;
  PointerTable pointers;
  std::vector<double> number_of;  // for each value that is a host number: the number
  std::vector<int> is_number;
  std::map<int, int> input_of;
  std::vector<BoundBuffer> buffers;
  std::vector<BoundStep> steps;
  std::vector<int> last_awaits;
  size_t stops_before = 0;  // from this step on an interrupt is ignored
  int64_t arena_bytes = 0, arena_alone = 0;
  int64_t own_shared_bytes = 0, shared_bytes = 0;  // shared bytes without and with the needs of its loops
  int64_t output_bytes = 0, output_alone = 0;
  int64_t most_hosted = 1;  // the most processors of the outputs' meshes on one rank
  std::byte *arena_base = nullptr, *shared_base = nullptr;
  bool pointed = false;
  int64_t sent = 0;  // bytes sent to other ranks; for each collective the maximum over ranks
  int64_t first_flops = -1;
  /// The latest reading of the timeline's clock: the end of one step and the beginning of the next. One reading serves
  /// both, because a short collective takes only some thirty times as long as a reading.
  double clock = 0;
  std::vector<int64_t> flops_of_step;
  std::vector<int> under_way;
};

BoundPlan::BoundPlan(std::shared_ptr<const schedule::Schedule> schedule, Machine& machine, bool share)
    : impl_(std::make_unique<Impl>(std::move(schedule), machine, machine.hostings, share)) {}
BoundPlan::~BoundPlan() = default;

int64_t BoundPlan::bytes() const { return impl_->arena_bytes + impl_->shared_bytes + impl_->output_bytes; }
const plan::Counters& BoundPlan::counted() const { return impl_->counted; }
int64_t BoundPlan::shared_bytes() const { return impl_->shared_bytes; }

std::vector<std::shared_ptr<plan::Tensor>> BoundPlan::run(const plan::PlanInputs& inputs) {
  Impl& plan = *impl_;
  plan.fit_arena();
  const std::vector<std::shared_ptr<Storage>> storages = plan.place_ends(inputs.values);
  plan.run_placed(inputs);
  if (!plan.is_counted) plan.count();
  plan.machine.sent += plan.sent;
  return plan.outputs(storages);
}

BoundPlan* BoundPlans::find(const plan::Plan& plan) const {
  const auto at = kept_.find(&plan);
  return at == kept_.end() || at->second.plan.expired() ? nullptr : at->second.bound.get();
}

BoundPlan& BoundPlans::keep(const std::shared_ptr<const plan::Plan>& plan, std::unique_ptr<BoundPlan> bound) {
  if (kept_.size() >= next_sweep_) {
    std::erase_if(kept_, [](const auto& entry) { return entry.second.plan.expired(); });
    next_sweep_ = kept_.size() + kept_.size() / 8 + 8;
  }
  Kept& kept = kept_[plan.get()] = {plan, std::move(bound)};
  return *kept.bound;
}

}  // namespace mtf::run
