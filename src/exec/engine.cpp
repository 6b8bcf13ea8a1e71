#include "exec/engine.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <unordered_map>

#include "exec/agreement.h"
#include "exec/block_file.h"
#include "exec/host_tensor.h"
#include "exec/kept_copies.h"
#include "exec/plan.h"
#include "exec/plan_key.h"
#include "exec/predict.h"
#include "exec/program_record.h"
#include "exec/reference.h"
#include "exec/replicas.h"
#include "exec/transport.h"
#include "exec/watchdog.h"
#include "ops/gradients.h"
#include "schedule/pack.h"
#include "spmd/carry_splits.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

constexpr size_t kMostPlans = 256;
constexpr int64_t kLargeRead = 1 << 20;  // bytes; less needs no check whether there is memory for it

// What all ranks find wrong is said by rank 0, after what it has printed: others speak this much later.
constexpr std::chrono::milliseconds kPrecedence{500};
// How long a rank waits to be ended by the one that speaks.
constexpr std::chrono::seconds kLongestEnd{10};

int threads_of(const EngineOptions& options, const Transport& transport) {
  if (options.threads > 0) return options.threads;
  int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::max(1, cores / transport.ranks_here());
}

}  // namespace

struct Engine::Impl {
  explicit Impl(EngineOptions given)
      : options(std::move(given)), transport(options.use_mpi), hostings(transport.rank(), transport.ranks(), options.placement),
        threads(threads_of(options, transport)), shared(transport, options.share_memory),
        machine{hostings, transport, threads, std::make_shared<MemoryPool>(), shared} {
    if (transport.ranks() > 1) watchdog.emplace(transport.rank(), machine.moved, machine.at);
    machine.scrub = options.scrub;
    if (options.record) machine.timeline = options.record->timeline;
    if (options.reference) {
      options.dry = true;
      reference = std::make_unique<Reference>();
    }
    if (!options.fuse) skipped_passes.push_back("fuse_loops");
    this->given.add({reinterpret_cast<const char*>(options.placement.data()), options.placement.size() * sizeof(int64_t)});
  }

  Plan& plan_for(const Program& program, std::string form, const PlanKey& key, Span place) {
    auto at = plans.find(key);
    if (at != plans.end() && at->second.first->form == form) {
      recent.splice(recent.begin(), recent, at->second.second);
      return *at->second.first;
    }
    if (at != plans.end()) {  // another program of the same hash
      recent.erase(at->second.second);
      plans.erase(at);
      last = nullptr;
    }
    if (plans.size() >= kMostPlans) {
      if (last == plans.at(recent.back()).first.get()) last = nullptr;
      plans.erase(recent.back());
      recent.pop_back();
    }
    std::unique_ptr<Plan> plan = make_plan(program, skipped_passes, [&] { machine.interrupt.poll(place); });
    plan->form = std::move(form);
    plan->number = ++plans_made;
    if (!options.dry) {
      plan->bound = std::make_unique<BoundPlan>(plan->schedule, machine);
      const int64_t there = (machine.arena ? machine.arena->bytes() : 0) + shared.bytes();
      check_memory(transport, plan->bound->bytes() - there, place);
      if (!shared.reserve(plan->bound->shared_bytes())) plan->bound = std::make_unique<BoundPlan>(plan->schedule, machine, false);
    }
    recent.push_front(key);
    auto& entry = plans[key];
    entry = {std::move(plan), recent.begin()};
    return *entry.first;
  }

  void compute(Capture& capture, const Values& roots, Span place) {
    Program& program = capture.program;
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      ProgramInput& input = program.inputs[i];
      const Value& leaf = capture.leaves[i];
      if (!leaf) continue;
      const Tensor& tensor = *leaf.node->computed[leaf.result];
      input.order = tensor.order;
      // Memory that other tensors lie in too outlives this one.
      input.dies = input.dies && leaf.node->computed[leaf.result].use_count() == 1 && tensor.storage.use_count() == 1;
    }
    offer_copies(capture);
    std::string form = canonical_form(program);
    const PlanKey key = key_of(form);
    if (transport.ranks() > 1) {
      note_numbers(capture);
      if (agree(transport, {key[0] ^ given.value(), key[1]}, place, "computes", machine.interrupt.is_wanted())) fail(Kind::interrupted, place);
    }
    Plan& plan = plan_for(program, std::move(form), key, place);
    last = &plan;
    const std::vector<PlanInput> inputs = inputs_of(plan, capture);
    std::vector<std::shared_ptr<Tensor>> outputs = options.dry ? pretend(plan, inputs) : launch(plan, inputs, program);
    for (size_t i = 0; i < program.inputs.size(); ++i)
      if (program.inputs[i].dies) capture.leaves[i].node->computed.clear();
    for (size_t i = 0; i < roots.size(); ++i) {
      Node& node = *roots[i].node;
      node.computed.resize(node.operation->results.size());
      node.computed[roots[i].result] = outputs[i];
      note_layout(node, roots[i].result);
    }
    store_copies(capture, roots, plan.schedule->program.copied, std::span(outputs).subspan(roots.size()));
  }

  /// A value that is kept for gradients alone lies as it was computed, and so will its gradient.
  static void note_layout(Node& node, int result) {
    const Sharding& lies = node.computed[result]->sharding;
    if (!(lies == node.operation->shardings[result])) node.operation = lies_computed(*node.operation, result, lies);
  }

  /// Such values may lie elsewhere under other rules, even if they lie here where their layouts say.
  void note_history(int32_t program, const Values& roots, const std::vector<bool>& only_history) const {
    for (size_t i = 0; i < roots.size(); ++i) {
      Node& node = *roots[i].node;
      if (!only_history[i]) continue;
      node.operation = lies_computed(*node.operation, roots[i].result, node.operation->shardings[roots[i].result]);
      options.record->layouts()->add_computed(node.operation, program, static_cast<int32_t>(i));
    }
  }

  /// Adds the numbers that a program reads to what this rank has been given.
  void note_numbers(const Capture& capture) {
    auto add = [&](const std::vector<double>& numbers) {
      given.add({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
    };
    add(capture.numbers);
    for (const ProgramOperation& operation : capture.program.operations)
      if (!operation.operation->inputs.empty()) add(operation.operation->inputs);
  }

  std::vector<std::shared_ptr<Tensor>> launch(Plan& plan, std::span<const PlanInput> inputs, const Program& program) {
    auto numbers = [&](const Instruction& instruction) -> std::span<const double> {
      return instruction.origin >= 0 ? program.operations[instruction.origin].operation->inputs : instruction.node->inputs;
    };
    std::vector<std::shared_ptr<Tensor>> outputs = plan.bound->run(inputs, numbers);
    if (options.check_replicas) {
      std::vector<std::string> names;
      for (const std::vector<int>& output : plan.schedule->program.outputs) names.push_back(plan.schedule->program.values[output[0]].name);
      check_replicas(machine, outputs, names);
    }
    add(plan.bound->counted(), plan);
    return outputs;
  }

  /// A dry run: predicted costs, and tensors without memory.
  std::vector<std::shared_ptr<Tensor>> pretend(Plan& plan, std::span<const PlanInput> inputs) {
    const Schedule& schedule = *plan.schedule;
    machine.pool->note_alone(plan.predicted.peak_bytes);
    std::map<int, std::shared_ptr<Storage>> storages;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].tensor) storages[schedule.buffer_of[schedule.program.inputs[i]]] = inputs[i].tensor->storage;
    std::vector<std::shared_ptr<Tensor>> outputs;
    for (const std::vector<int>& output : schedule.program.outputs) {
      const LocalValue& value = schedule.program.values[output[0]];
      std::shared_ptr<Storage>& storage = storages[schedule.buffer_of[output[0]]];
      if (!storage) storage = machine.pool->pretend(padded(saturating_multiply(largest_block(value), size_of(value.element))));
      outputs.push_back(std::make_shared<Tensor>(Tensor{value.type(), value.mesh, value.sharding(), value.order, storage, {}}));
    }
    add(plan.predicted, plan);
    return outputs;
  }

  void add(const Counters& counters, const Plan& plan) {
    total.flops = saturating_add(total.flops, counters.flops);
    total.unique_flops = saturating_add(total.unique_flops, plan.predicted.unique_flops);
    total.processors = std::max(total.processors, plan.predicted.processors);
    for (int kind = 0; kind < kCollectiveKinds; ++kind)
      for (const auto& [axes, count] : counters.collectives[kind]) total.collectives[kind][axes] += count;
  }

  EngineOptions options;
  Transport transport;
  Hostings hostings;
  Threads threads;
  SharedMemory shared;
  Machine machine;
  std::optional<Watchdog> watchdog;
  std::vector<std::string> skipped_passes;
  std::list<PlanKey> recent;  // plans, the last used first
  std::unordered_map<PlanKey, std::pair<std::unique_ptr<Plan>, std::list<PlanKey>::iterator>, PlanKeyHash> plans;
  Plan* last = nullptr;
  int64_t plans_made = 0;
  Digest given;  // what this rank has been given, which must be the same on all
  std::unique_ptr<Reference> reference;
  std::vector<StatementCost> last_costs;
  Counters total;
};

Engine::Engine(EngineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Engine::~Engine() = default;

int Engine::rank() const { return impl_->transport.rank(); }
int Engine::ranks() const { return impl_->transport.ranks(); }
bool Engine::shares_memory() const { return impl_->shared.is_there(); }
bool Engine::dry() const { return impl_->options.dry; }
bool Engine::is_reference() const { return impl_->options.reference; }
const std::shared_ptr<ProgramRecord>& Engine::record() const { return impl_->options.record; }

void Engine::heed(Interrupt interrupt) {
  if (ranks() > 1) interrupt.only_where_ranks_meet();
  impl_->machine.interrupt = std::move(interrupt);
}

void Engine::compute(Capture& capture, const Values& roots, Span place) { impl_->compute(capture, roots, place); }

void Engine::compute(const Values& asked) {
  Values roots;
  for (const Value& value : asked)
    if (!value.node->is_computed(value.result) && std::find(roots.begin(), roots.end(), value) == roots.end()) roots.push_back(value);
  if (roots.empty()) return;
  Capture captured = capture(pending(roots), roots);
  impl_->compute(captured, roots, roots.back().operation().span);
}

bool Engine::materialize(ValueTable& table, const Values& needed, const std::function<bool()>& gradients_may_come, Span place) {
  Values roots = table.pending_held();
  auto add = [&](const Values& values) {
    for (const Value& value : values)
      if (!value.node->is_computed(value.result)) roots.push_back(value);
    if (values.empty()) return;
    std::sort(roots.begin(), roots.end(), is_made_before);
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  };
  add(needed);
  if (roots.empty()) return false;
  const std::vector<NodePtr> nodes = pending(roots);
  const KeptHistory history = table.keep_history(nodes, gradients_may_come() ? reads_of_gradient : nullptr);
  add(history.saved);
  Capture captured = capture(nodes, roots);
  keep_copies(captured, roots, history.read_again);
  std::vector<bool> only_history;
  for (const Value& root : roots) only_history.push_back(root.node->held(root.result) == 0);
  const std::shared_ptr<ProgramRecord>& record = impl_->options.record;
  const int32_t number = record ? record->add(captured, only_history) : -1;
  carry_splits(captured.program, only_history);
  table.mark_dying(nodes, captured);
  impl_->compute(captured, roots, place);
  if (record) {
    impl_->note_history(number, roots, only_history);
    note_copies(captured, roots, *record, number);
  }
  table.computed(nodes);
  return true;
}

void Engine::evaluate(Node& node) { impl_->reference->evaluate(node); }

HostTensor Engine::fetch(const Value& value) {
  compute({value});
  if (impl_->reference) return impl_->reference->fetch(value);
  const Tensor& tensor = *value.node->computed[value.result];
  const int64_t bytes = size_of(tensor.type.dims) * size_of(tensor.type.element);
  if (!dry()) {
    const Span place = value.operation().span;
    if (ranks() > 1) agree(impl_->transport, key_of("read " + to_string(tensor.type, tensor.sharding, *tensor.mesh)), place, "reads");
    if (bytes >= kLargeRead) check_memory(impl_->transport, bytes, place);
    return gather_blocks(impl_->machine, tensor);
  }
  HostTensor result{tensor.type, {}};
  result.bytes.resize(static_cast<size_t>(bytes));
  return result;
}

void Engine::place(Node& node, const HostTensor& data) {
  if (ranks() > 1) impl_->given.add({reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size()});
  place_own(node, data);
}

void Engine::place_own(Node& node, const HostTensor& data) {
  const LaidOutOperation& operation = *node.operation;
  node.computed = {dry() ? pretend_blocks(impl_->machine, data.type, operation.mesh, operation.shardings[0])
                         : place_blocks(impl_->machine, data, operation.mesh, operation.shardings[0])};
  if (impl_->reference) impl_->reference->place(node, data);
}

Interval Engine::own_rows(const Node& node) const {
  const LaidOutOperation& operation = *node.operation;
  const int64_t size = operation.results[0].dims[0].size;
  if (dry()) return {0, size};
  Interval own{size, 0};
  for (const Coordinates& at : impl_->machine.hostings.of(operation.mesh).coordinates()) {
    const Interval block = block_of(size, operation.shardings[0].dims[0], *operation.mesh, at);
    if (block.size() > 0) own = {std::min(own.first, block.first), std::max(own.last, block.last)};
  }
  return own.first < own.last ? own : Interval{};
}

uint64_t Engine::store(const Value& value, const PositionedFile& file, uint64_t place) {
  compute({value});
  if (impl_->reference) return write_whole(impl_->reference->fetch(value), file, place);
  return dry() ? 0 : write_blocks(impl_->machine, *value.node->computed[value.result], file, place);
}

uint64_t Engine::load(Node& node, const PositionedFile& file, uint64_t place) {
  const LaidOutOperation& operation = *node.operation;
  const Sharding& sharding = operation.shardings[0];
  ReadBlocks read = dry() ? ReadBlocks{pretend_blocks(impl_->machine, operation.results[0], operation.mesh, sharding)} : read_blocks(impl_->machine, operation.results[0], operation.mesh, sharding, file, place);
  node.computed = {std::move(read.tensor)};
  if (impl_->reference) impl_->reference->place(node, read_whole(operation.results[0], file, place, read.sum));
  return read.sum;
}

std::vector<uint64_t> Engine::added_up(std::vector<uint64_t> numbers, Span place) {
  agree(impl_->transport, key_of("add up"), place, "reads");
  impl_->transport.add_up(numbers);
  return numbers;
}

std::string Engine::first_of(const std::string& text, Span place) {
  agree(impl_->transport, key_of("compare"), place, "reads");
  std::string first;
  for (const std::string& one : impl_->transport.gather_texts(text))
    if (first.empty()) first = one;
  impl_->transport.broadcast(first);
  return first;
}

std::string Engine::broadcast(const std::string& bytes, Span place) {
  agree(impl_->transport, key_of("share"), place, "reads");
  std::string result = bytes;
  impl_->transport.broadcast(result);
  return result;
}

void Engine::finish() {
  agree(impl_->transport, key_of("end"), {}, "is at the end of the script");
  if (const auto& timeline = impl_->machine.timeline; timeline && timeline->tell) timeline->told = impl_->transport.gather_texts(timeline->tell());
}

void Engine::abort(const std::string& message, int status) {
  std::fflush(stdout);
  if (rank() != 0) std::this_thread::sleep_for(kPrecedence);
  if (impl_->transport.is_first_to_ask()) {
    std::fputs(message.c_str(), stderr);
    std::fflush(stderr);
  } else {
    std::this_thread::sleep_for(kLongestEnd);
  }
  impl_->transport.abort(status);
}

Counters Engine::counters() const {
  Counters counters = impl_->total;
  counters.peak_bytes = impl_->machine.pool->alone_peak();
  return counters;
}

int64_t Engine::sent() const { return impl_->machine.sent; }

void Engine::restart_peak() { impl_->machine.pool->restart_peak(); }

int64_t Engine::last_plan() const { return impl_->last ? impl_->last->number : 0; }

Counters Engine::last_counters() const {
  Counters counters;
  if (!impl_->last) return counters;
  counters = impl_->options.dry ? impl_->last->predicted : impl_->last->bound->counted();
  counters.unique_flops = impl_->last->predicted.unique_flops;
  counters.processors = impl_->last->predicted.processors;
  counters.peak_bytes = impl_->machine.pool->alone_peak();
  return counters;
}

const std::vector<StatementCost>& Engine::last_costs() const {
  impl_->last_costs = impl_->last ? costs_of(*impl_->last->schedule, impl_->last->costs) : std::vector<StatementCost>();
  return impl_->last_costs;
}

std::string Engine::last_text(const std::string& stage) const {
  if (!impl_->last) return "";
  if (stage == "ir") return to_string(impl_->last->program);
  if (stage == "spmd") return to_string(impl_->last->schedule->program);
  return to_string(*impl_->last->schedule);
}

}  // namespace mtf
