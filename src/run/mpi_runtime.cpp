#include "run/mpi_runtime.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "run/agreement.h"
#include "run/block_file.h"
#include "run/bound_plan.h"
#include "run/dry_runtime.h"
#include "run/host_tensor.h"
#include "run/level_agreement.h"
#include "run/memory_check.h"
#include "run/node_watch.h"
#include "run/watchdog.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

constexpr int64_t kLargeRead = 1 << 20;  // bytes; smaller reads need no check for memory

// If all ranks find the same error, rank 0 reports it, after its earlier output. Other ranks wait this long first.
constexpr std::chrono::milliseconds kPrecedence{500};
// How long a rank waits to be ended by the rank that reports.
constexpr std::chrono::seconds kLongestEnd{10};
// How many milliseconds a rank waits for the report of a machine that is gone: it may be why this rank ends.
constexpr int kLastLook = 300;

int threads_of(const MpiRuntimeOptions& options, const Transport& transport) {
  if (options.threads > 0) return options.threads;
  int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::max(1, cores / transport.ranks_here());
}

/// Connects the first rank of each node with rank 0. Returns null on all other ranks. All ranks call it together.
std::unique_ptr<NodeWatch> watch_nodes(Transport& transport) {
  if (!transport.has_several_nodes()) return nullptr;
  std::unique_ptr<NodeWatch> watch;
  if (transport.node_of(transport.rank()) == transport.rank()) {
    char machine[256] = "another machine";
    gethostname(machine, sizeof machine - 1);
    watch = std::make_unique<NodeWatch>(transport.rank(), machine);
  }
  std::string where = transport.rank() == 0 ? watch->listen() : std::string();
  transport.broadcast(where);
  if (watch && transport.rank() != 0) watch->connect(where);
  return watch;
}

template <typename T>
std::string_view bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

}  // namespace

struct MpiRuntime::Impl {
  explicit Impl(MpiRuntimeOptions given_options)
      : options(std::move(given_options)),
        transport(options.use_mpi, options.share_memory),
        level(agree_on_level(transport)),
        hostings(transport.rank(), transport.ranks(), options.placement),
        threads(threads_of(options, transport)),
        shared(transport),
        machine{hostings, transport, threads, std::make_shared<MemoryPool>(), shared} {
    if (transport.ranks() > 1) watchdog.emplace(transport.rank(), machine.moved, machine.at, transport.waiting());
    node_watch = watch_nodes(transport);
    machine.scrub = options.scrub;
    machine.timeline = options.timeline;
    given.add(options.placement.text());
  }

  BoundPlan& bound(const std::shared_ptr<const plan::Plan>& plan, Span place) {
    if (BoundPlan* known = plans.find(*plan)) return *known;
    auto bound = std::make_unique<BoundPlan>(plan->schedule, machine);
    const int64_t there = (machine.arena ? machine.arena->bytes() : 0) + shared.bytes();
    check_memory(transport, bound->bytes() - there, place);
    if (!shared.reserve(bound->shared_bytes())) bound = std::make_unique<BoundPlan>(plan->schedule, machine, false);
    return plans.keep(plan, std::move(bound));
  }

  /// Adds the numbers that a program reads to the digest of this rank's data.
  void note_numbers(const graph::Capture& capture) {
    given.add(bytes_of(capture.numbers));
    for (const graph::ProgramOperation& operation : capture.program.operations)
      if (!operation.operation->inputs.empty()) given.add(bytes_of(operation.operation->inputs));
  }

  MpiRuntimeOptions options;
  Transport transport;
  const LevelAgreement level;
  Hostings hostings;
  kernels::Threads threads;
  SharedMemory shared;
  Machine machine;
  std::optional<Watchdog> watchdog;
  std::unique_ptr<NodeWatch> node_watch;  // on the first rank of each of several nodes
  BoundPlans plans;
  Digest given;  // this rank's data, which must be the same on all ranks
};

MpiRuntime::MpiRuntime(MpiRuntimeOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
MpiRuntime::~MpiRuntime() = default;

int MpiRuntime::rank() const { return impl_->transport.rank(); }
int MpiRuntime::ranks() const { return impl_->transport.ranks(); }
int MpiRuntime::ranks_of_node() const {
  const Transport& transport = impl_->transport;
  int each = 0;
  while (each < ranks() && transport.node_of(each) == transport.node_of(0)) ++each;
  if (ranks() % each != 0) return 0;
  for (int rank = 0; rank < ranks(); ++rank)
    if (transport.node_of(rank) != rank - rank % each) return 0;
  return each;
}
bool MpiRuntime::shares_memory() const { return impl_->shared.is_there(); }
const std::string& MpiRuntime::notice() const { return impl_->level.notice; }
void MpiRuntime::expect_level() const {
  if (!impl_->level.refusal.empty()) fail(Kind::unusable_level, {}, "{}", impl_->level.refusal);
}
int64_t MpiRuntime::sent() const { return impl_->machine.sent; }
std::unique_ptr<plan::Runtime> MpiRuntime::planner(bool beside) const {
  return std::make_unique<DryRuntime>(beside ? impl_->machine.pool->alone_live() : 0);
}

// ---- programs -------------------------------------------------------------------------------------------------------

void MpiRuntime::heed(Interrupt interrupt) { impl_->machine.interrupt = std::move(interrupt); }

void MpiRuntime::added(graph::Node&) {}

void MpiRuntime::meet(const graph::Capture& capture, const plan::ProgramForm& form, Span place) {
  if (ranks() == 1) return;
  impl_->note_numbers(capture);
  const bool ends = agree(impl_->transport, {form.key[0] ^ impl_->given.value(), form.key[1]}, place, "computes",
                          impl_->machine.interrupt.is_wanted());
  if (ends) fail(Kind::interrupted, place);
}

std::vector<std::shared_ptr<plan::Tensor>> MpiRuntime::run(const std::shared_ptr<const plan::Plan>& plan,
                                                           const plan::PlanInputs& inputs, Span place) {
  Timeline* const timeline = impl_->options.timeline.get();
  const double began = timeline != nullptr ? timeline->now() : 0;
  const int64_t memory = timeline != nullptr ? impl_->machine.pool->alone_live() : 0;
  std::vector<std::shared_ptr<plan::Tensor>> outputs = impl_->bound(plan, place).run(inputs);
  if (timeline != nullptr) timeline->add(Timeline::Run{plan->schedule, place, began, timeline->now(), memory});
  if (impl_->options.check_replicas) {
    const spmd::LocalProgram& program = plan->schedule->program;
    std::vector<std::string> names;
    for (const std::vector<int>& output : program.outputs) names.push_back(program.values[output[0]].name);
    check_replicas(impl_->machine, outputs, names);
  }
  return outputs;
}

const plan::Counters& MpiRuntime::counted(const plan::Plan& plan) const {
  const BoundPlan* bound = impl_->plans.find(plan);
  MTF_CHECK(bound != nullptr, "plan {} has not been run", plan.number);
  return bound->counted();
}

int64_t MpiRuntime::peak_bytes() const { return impl_->machine.pool->alone_peak(); }
void MpiRuntime::restart_peak() { impl_->machine.pool->restart_peak(); }

// ---- values ---------------------------------------------------------------------------------------------------------

std::shared_ptr<plan::Tensor> MpiRuntime::place(graph::Node& node, const plan::HostView& data) {
  if (ranks() > 1) impl_->given.add({reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size()});
  return place_own(node, data);
}

std::shared_ptr<plan::Tensor> MpiRuntime::place_own(graph::Node& node, const plan::HostView& data) {
  const graph::LaidOutOperation& operation = *node.operation;
  return place_blocks(impl_->machine, data, operation.mesh, operation.shardings[0]);
}

Interval MpiRuntime::own_rows(const graph::Node& node) const {
  const graph::LaidOutOperation& operation = *node.operation;
  const int64_t size = operation.results[0].dims[0].size;
  Interval own{size, 0};
  for (const Coordinates& at : impl_->machine.hostings.of(operation.mesh).coordinates()) {
    const Interval block = block_of(size, operation.shardings[0].dims[0], *operation.mesh, at);
    if (block.size() > 0) own = {std::min(own.first, block.first), std::max(own.last, block.last)};
  }
  return own.first < own.last ? own : Interval{};
}

plan::Runtime::Loaded MpiRuntime::load(graph::Node& node, const io::PositionedFile& file, uint64_t place) {
  const graph::LaidOutOperation& operation = *node.operation;
  return read_blocks(impl_->machine, operation.results[0], operation.mesh, operation.shardings[0], file, place);
}

plan::HostTensor MpiRuntime::fetch(const graph::Value& value) {
  const plan::Tensor& tensor = *value.computed();
  const Span place = value.operation().span;
  if (ranks() > 1)
    agree(impl_->transport, plan::key_of("read " + to_string(tensor.type, tensor.sharding, *tensor.mesh)), place,
          "reads");
  const int64_t bytes = size_of(tensor.type.dims) * size_of(tensor.type.element);
  if (bytes >= kLargeRead) check_memory(impl_->transport, bytes, place);
  return gather_blocks(impl_->machine, tensor);
}

uint64_t MpiRuntime::store(const graph::Value& value, const io::PositionedFile& file, uint64_t place) {
  return write_blocks(impl_->machine, *value.computed(), file, place);
}

// ---- messages between ranks -----------------------------------------------------------------------------------------

std::vector<uint64_t> MpiRuntime::added_up(std::vector<uint64_t> numbers, Span place) {
  agree(impl_->transport, plan::key_of("add up"), place, "reads");
  impl_->transport.add_up(numbers);
  return numbers;
}

std::string MpiRuntime::first_of(const std::string& text, Span place) {
  agree(impl_->transport, plan::key_of("compare"), place, "reads");
  std::string first;
  for (const std::string& one : impl_->transport.gather_texts(text))
    if (first.empty()) first = one;
  impl_->transport.broadcast(first);
  return first;
}

std::string MpiRuntime::broadcast(const std::string& bytes, Span place) {
  agree(impl_->transport, plan::key_of("share"), place, "reads");
  std::string result = bytes;
  impl_->transport.broadcast(result);
  return result;
}

void MpiRuntime::finish() {
  agree(impl_->transport, plan::key_of("end"), {}, "is at the end of the script");
  if (const auto& timeline = impl_->options.timeline; timeline && timeline->tell)
    timeline->told = impl_->transport.gather_texts(timeline->tell());
}

void MpiRuntime::abort(const std::string& message, int status) {
  std::fflush(stdout);
  if (rank() != 0) std::this_thread::sleep_for(kPrecedence);
  if (impl_->transport.is_first_to_ask()) {
    std::fputs(message.c_str(), stderr);
    std::fflush(stderr);
  } else {
    std::this_thread::sleep_for(kLongestEnd);
  }
  if (impl_->node_watch) impl_->node_watch->wait_for_report(kLastLook);
  impl_->transport.abort(status);
}

}  // namespace mtf::run
