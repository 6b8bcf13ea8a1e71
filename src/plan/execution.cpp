#include "plan/execution.h"

#include <algorithm>

#include "ops/gradients.h"
#include "plan/compiler.h"
#include "plan/kept_copies.h"
#include "plan/made_cut.h"
#include "plan/predict.h"
#include "plan/program_record.h"
#include "plan/runtime.h"
#include "support/interrupt.h"
#include "types/saturating.h"

namespace mtf::plan {
namespace {

/// Sets the storage order of each input of a capture's program, whether the input dies, and its copies. Returns true if
/// the description changed, or if an input has copies.
bool describe_inputs(graph::Capture& capture, const std::vector<bool>& may_die) {
  graph::Program& program = capture.program;
  bool differs = false;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    graph::ProgramInput& input = program.inputs[i];
    const graph::Value& leaf = capture.leaves[i];
    if (!leaf) continue;
    const std::shared_ptr<Tensor>& tensor = leaf.computed();
    // An input does not die if other tensors share its storage.
    const bool dies = may_die[i] && tensor.use_count() == 1 && tensor->storage.use_count() == 1;
    differs = differs || input.dies != dies || input.order != tensor->order || !input.copies.empty();
    input.dies = dies;
    input.order = tensor->order;
    input.copies.clear();
  }
  offer_copies(capture);
  return differs || std::any_of(program.inputs.begin(), program.inputs.end(),
                                [](const graph::ProgramInput& input) { return !input.copies.empty(); });
}

std::vector<bool> dying_inputs(const graph::Program& program) {
  std::vector<bool> dies;
  for (const graph::ProgramInput& input : program.inputs) dies.push_back(input.dies);
  return dies;
}

/// A value that is kept only for gradients keeps the sharding in which it was computed. Its gradient gets the same
/// sharding.
void note_layout(graph::Node& node, int result) {
  const Sharding& lies = node.computed().results[result]->sharding;
  const graph::LaidOutOperation& operation = *node.operation;
  if (!give_same_blocks(lies, operation.shardings[result], *operation.mesh))
    node.operation = lies_computed(*node.operation, result, lies);
}

}  // namespace

struct Execution::Impl {
  Impl(Runtime& on, ExecutionOptions given)
      : runtime(on),
        options(std::move(given)),
        compiler({.skipped_passes = options.skipped_passes,
                  .most_whole = options.most_whole.value_or(spmd::kUnlimited),
                  .verify = options.verify_passes,
                  .peaks = options.peaks_of_passes}) {}

  void compute(graph::Capture& capture, const graph::Values& roots, Span place, MadeCut* made = nullptr) {
    const std::vector<bool> may_die = dying_inputs(capture.program);
    describe_inputs(capture, may_die);
    ProgramForm form = form_of(capture.program);
    if (made) {
      made->may_die = may_die;
      made->form = form;
    }
    runtime.meet(capture, form, place);
    run(plan_of(capture.program, std::move(form), place), capture, roots, place);
  }

  std::shared_ptr<const Plan> plan_of(const graph::Program& program, ProgramForm form, Span place) {
    const HeedsInterrupt heeds(interrupt, place);
    return compiler.plan_of(program, std::move(form));
  }

  /// Runs the plan and stores its outputs in the nodes of `roots`. Inputs that die lose their tensors.
  void run(const std::shared_ptr<const Plan>& plan, const graph::Capture& capture, const graph::Values& roots,
           Span place) {
    const graph::Program& program = capture.program;
    const std::vector<std::shared_ptr<Tensor>> outputs = runtime.run(plan, inputs_of(*plan, capture), place);
    last = plan;
    add(runtime.counted(*plan), plan->predicted);
    add_rematerialized(again, *plan, plan->number > newest);
    newest = std::max(newest, plan->number);
    for (size_t i = 0; i < program.inputs.size(); ++i)
      if (program.inputs[i].dies) capture.leaves[i].node->compute_into().results.clear();
    for (size_t i = 0; i < roots.size(); ++i) {
      graph::Node& node = *roots[i].node;
      std::vector<std::shared_ptr<Tensor>>& results = node.compute_into().results;
      results.resize(node.operation->results.size());
      results[roots[i].result] = outputs[i];
      note_layout(node, roots[i].result);
    }
    store_copies(capture, roots, plan->schedule->program.copied, std::span(outputs).subspan(roots.size()));
  }

  /// Records for each value that is kept only for gradients that its sharding is the computed one. Under other rules
  /// that sharding may differ from the layout, even if both agree here.
  void note_history(int32_t number, const graph::Program& program, const graph::Values& roots) const {
    for (size_t i = 0; i < roots.size(); ++i) {
      graph::Node& node = *roots[i].node;
      if (!program.only_history[i]) continue;
      node.operation = lies_computed(*node.operation, roots[i].result, node.operation->shardings[roots[i].result]);
      options.record->layouts()->add_computed(node.operation, number, static_cast<int32_t>(i));
    }
  }

  void add(const Counters& counted, const Counters& predicted) {
    total.flops = saturating_add(total.flops, counted.flops);
    total.unique_flops = saturating_add(total.unique_flops, predicted.unique_flops);
    total.processors = std::max(total.processors, predicted.processors);
    for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
      for (const auto& [axes, count] : counted.collectives[kind]) total.collectives[kind][axes] += count;
  }

  Runtime& runtime;
  const ExecutionOptions options;
  Compiler compiler;
  Interrupt interrupt;
  std::shared_ptr<const Plan> last;
  Counters total;
  Rematerialized again;
  int64_t newest = 0;  ///< the largest number of a plan that has run
};

Execution::Execution(Runtime& runtime, ExecutionOptions options)
    : impl_(std::make_unique<Impl>(runtime, std::move(options))) {}
Execution::~Execution() = default;

Runtime& Execution::runtime() const { return impl_->runtime; }
const std::shared_ptr<ProgramRecord>& Execution::record() const { return impl_->options.record; }

void Execution::heed(Interrupt interrupt) {
  if (impl_->runtime.ranks() > 1) interrupt.only_where_ranks_meet();
  impl_->runtime.heed(interrupt);
  impl_->interrupt = std::move(interrupt);
}

void Execution::compute(const graph::Values& asked) {
  graph::Values roots;
  for (const graph::Value& value : asked)
    if (!value.node->is_computed(value.result) && std::find(roots.begin(), roots.end(), value) == roots.end())
      roots.push_back(value);
  if (roots.empty()) return;
  graph::Capture captured = capture(pending(roots), roots);
  impl_->compute(captured, roots, roots.back().operation().span);
}

bool Execution::materialize(graph::ValueTable& table, const graph::Values& needed,
                            const std::function<bool()>& gradients_may_come, Span place, MadeCut* made) {
  graph::Values roots = table.pending_held();
  auto add = [&](const graph::Values& values) {
    for (const graph::Value& value : values)
      if (!value.node->is_computed(value.result)) roots.push_back(value);
    if (values.empty()) return;
    std::sort(roots.begin(), roots.end(), graph::is_made_before);
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  };
  add(needed);
  if (roots.empty()) return false;
  const std::vector<graph::NodePtr> nodes = pending(roots);
  const graph::KeptHistory history = table.keep_history(nodes, gradients_may_come() ? ops::reads_of_gradient : nullptr);
  add(history.saved);
  const std::vector<StayingCopy> staying = copies_that_stay(nodes);
  for (const StayingCopy& each : staying) add({each.copy.value()});
  graph::Capture captured = capture(nodes, roots);
  keep_copies(captured, roots, history.read_again);
  for (const graph::Value& root : roots) captured.program.only_history.push_back(root.node->held(root.result) == 0);
  table.mark_dying(nodes, captured);
  const std::shared_ptr<ProgramRecord>& record = impl_->options.record;
  const int32_t number = record ? record->add(captured) : -1;
  impl_->compute(captured, roots, place, made);
  if (record) {
    impl_->note_history(number, captured.program, roots);
    note_copies(captured, roots, *record, number);
  }
  table.computed(nodes);
  stay(staying);
  if (made) {
    const std::vector<bool>& only_history = captured.program.only_history;
    made->is_closed = !record && staying.empty() && history.saved.empty() && captured.program.for_gradients.empty() &&
                      std::find(only_history.begin(), only_history.end(), true) == only_history.end();
    made->first_node = nodes.front()->id;
    made->plan = impl_->last;
    made->capture = std::move(captured);
    made->roots = std::move(roots);
  }
  return true;
}

void Execution::repeat(graph::ValueTable& table, MadeCut& cut, const graph::Values& roots, Span place) {
  graph::Capture& capture = cut.capture;
  std::vector<bool> may_die = cut.may_die;
  for (size_t i = 0; i < may_die.size(); ++i)
    may_die[i] = may_die[i] && !capture.leaves[i].node->is_kept() && capture.leaves[i].node->uses() == 0;
  const bool differs = describe_inputs(capture, may_die);
  if (differs) cut.form = form_of(capture.program);
  impl_->runtime.meet(capture, cut.form, place);
  if (differs) cut.plan = impl_->plan_of(capture.program, cut.form, place);
  impl_->run(cut.plan, capture, roots, place);
  std::vector<graph::NodePtr> nodes;
  for (const graph::Value& root : roots) nodes.push_back(root.node);
  table.computed(nodes);
}

void Execution::place(graph::Node& node, const HostView& data) {
  node.compute_into().results = {impl_->runtime.place(node, data)};
}
void Execution::place_own(graph::Node& node, const HostView& data) {
  node.compute_into().results = {impl_->runtime.place_own(node, data)};
}

uint64_t Execution::load(graph::Node& node, const io::PositionedFile& file, uint64_t place) {
  Runtime::Loaded loaded = impl_->runtime.load(node, file, place);
  node.compute_into().results = {std::move(loaded.tensor)};
  return loaded.sum;
}

HostTensor Execution::fetch(const graph::Value& value) {
  compute({value});
  return impl_->runtime.fetch(value);
}

std::shared_ptr<const Tensor> Execution::whole(const graph::Value& value) {
  compute({value});
  const std::shared_ptr<Tensor>& tensor = value.computed();
  return whole_block(*tensor) != nullptr ? tensor : nullptr;
}

uint64_t Execution::store(const graph::Value& value, const io::PositionedFile& file, uint64_t place) {
  compute({value});
  return impl_->runtime.store(value, file, place);
}

Counters Execution::counters() const {
  Counters counters = impl_->total;
  counters.peak_bytes = impl_->runtime.peak_bytes();
  return counters;
}

std::optional<PeakMemory> Execution::peak_memory() const { return impl_->runtime.peak_memory(); }

const Rematerialized& Execution::rematerialized() const { return impl_->again; }

int64_t Execution::last_plan() const { return impl_->last ? impl_->last->number : 0; }

Counters Execution::last_counters() const {
  if (!impl_->last) return {};
  Counters counters = impl_->runtime.counted(*impl_->last);
  counters.unique_flops = impl_->last->predicted.unique_flops;
  counters.processors = impl_->last->predicted.processors;
  counters.peak_bytes = impl_->runtime.peak_bytes();
  return counters;
}

std::vector<spmd::StatementCost> Execution::last_costs() const {
  if (!impl_->last) return {};
  const auto& costs = impl_->options.costs;
  return costs ? costs(*impl_->last->schedule, impl_->last->costs)
               : costs_of(impl_->last->schedule->program, impl_->last->costs);
}

std::string Execution::last_text(const std::string& stage) const {
  if (!impl_->last) return "";
  return impl_->compiler.text_after(stage, impl_->last->program);
}

std::vector<std::string> Execution::last_texts() const {
  return impl_->last ? impl_->compiler.texts(impl_->last->program) : std::vector<std::string>();
}

void Execution::set_memory(int64_t bytes) { impl_->compiler.set_memory(bytes); }
bool Execution::has_remat() const { return impl_->compiler.has_remat(); }
void Execution::set_remat(bool remat) { impl_->compiler.set_remat(remat); }

const PassTimes& Execution::pass_times() const { return impl_->compiler.pass_times(); }

}  // namespace mtf::plan
