// `mtf calibrate`: measures the present machine.
//
// Each measurement runs statements of a script, through every stage. It takes the least processor time that the
// runtime's timeline has for a step in many iterations, which excludes other work of the machine. With several ranks
// all of them compute at once, as in a training step, and share the memory's bandwidth in the same way.
#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <ostream>

#include "cost/machine.h"
#include "cost/step_time.h"
#include "graph/op.h"
#include "plan/predict.h"
#include "run/timeline.h"
#include "session/session.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/commands/commands.h"
#include "tool/shell/generated_file.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/process.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

/// The least time of a step, with the planner's numbers for it.
struct Measured {
  double seconds = 0;
  double flops = 0;
  double elements = 0;  ///< written by the step
  double bytes = 0;     ///< read and written by the step
  double wire_bytes = 0;
  double messages = 0;
};

class Laboratory {
 public:
  explicit Laboratory(const run::MpiRuntimeOptions& options)
      : timeline_(std::make_shared<run::Timeline>()), runtime_(noting(options, timeline_)), execution_(runtime_) {
    eval::Settings settings;
    settings.stdlib = standard_library();
    settings.ranks = runtime_.ranks();
    settings.mesh = axes_of(runtime_);
    axes_ = *settings.mesh;
    settings.layout = Layout();
    static std::ostream nowhere(nullptr);
    session_ = std::make_unique<session::Session>(settings, &execution_, nowhere);
  }

  int ranks() const { return runtime_.ranks(); }
  /// The axes of the mesh: the ranks, or nodes and the ranks inside of a node.
  const std::vector<Axis>& axes() const { return axes_; }
  /// Returns the number that rank 0 passes. All ranks call it.
  int64_t agreed(int64_t number) {
    return ranks() == 1 ? number : std::stoll(runtime_.broadcast(std::to_string(number), {}));
  }
  /// Says on stderr what comes next, on rank 0.
  void tell(const std::string& what) const {
    if (ranks() > 1 && runtime_.rank() == 0)
      std::fputs(fmt::format("calibrate: {:.0f} s: {}\n", timeline_->now(), what).c_str(), stderr);
  }
  void run(const std::string& text) { session_->execute(text + "\n"); }

  /// Computes `expression` `iterations` times, and returns the slowest of its steps of this kind.
  Measured measure(const std::string& expression, int iterations, bool collective = false) {
    const Iterations measured = least_of(expression, iterations);
    int longest = -1;
    for (const auto& [step, seconds] : measured.least) {
      if ((measured.plan->steps[step].kind == schedule::StepKind::kCollective) != collective) continue;
      if (longest < 0 || seconds > measured.least.at(longest)) longest = step;
    }
    return longest < 0 ? Measured()
                       : described(*measured.plan, measured.plan->steps[longest], measured.least.at(longest));
  }

  /// Computes a chain of collectives, and returns the mean of its steps. A message of one collective of a kind without
  /// an answer may have come before the rank waits for it; in a chain each is awaited.
  Measured measure_chain(const std::string& expression, int iterations) {
    const auto is_collective = [](const run::Timeline::Event& event) {
      return event.schedule->steps[static_cast<size_t>(event.step)].kind == schedule::StepKind::kCollective;
    };
    double least = std::numeric_limits<double>::infinity();
    size_t seen = 0;
    repeat(expression, iterations, [&] {
      double seconds = 0;
      int steps = 0;
      for (; seen < timeline_->events().size(); ++seen)
        if (const run::Timeline::Event& event = timeline_->events()[seen]; is_collective(event)) {
          seconds += event.busy;
          ++steps;
        }
      if (steps > 0) least = std::min(least, seconds / steps);
    });
    for (const run::Timeline::Event& event : timeline_->events())
      if (is_collective(event)) return described(*event.schedule, event.schedule->steps[event.step], least);
    return {};
  }

  /// Returns the seconds of all steps together.
  double measure_all(const std::string& expression, int iterations) {
    double sum = 0;
    for (const auto& [step, seconds] : least_of(expression, iterations).least) sum += seconds;
    return sum;
  }

  /// Runs a loop of small plans. Returns the least seconds from the end of one run to the end of the next, without the
  /// steps: what the host needs for a run, as in a training loop.
  double measure_host(const std::string& loop) {
    timeline_->clear();
    const size_t first = timeline_->runs().size();
    run(loop);
    const std::vector<run::Timeline::Run>& runs = timeline_->runs();
    double least = std::numeric_limits<double>::infinity();
    size_t at = 0;
    for (size_t i = first + 1; i < runs.size(); ++i) {
      double seconds = runs[i].end - runs[i - 1].end;
      const std::vector<run::Timeline::Event>& events = timeline_->events();
      for (; at < events.size() && events[at].end <= runs[i].end; ++at)
        if (events[at].begin >= runs[i - 1].end) seconds -= events[at].busy;
      if (runs[i].schedule == runs[i - 1].schedule) least = std::min(least, seconds);
    }
    return std::isfinite(least) ? std::max(least, 0.0) : 0;
  }

 private:
  static constexpr int kFewest = 4;         // iterations; the first may have other plans
  static constexpr double kLongest = 0.25;  // seconds, from which on there are no more iterations

  static std::vector<Axis> axes_of(const run::MpiRuntime& runtime) {
    const int here = runtime.ranks_of_node();
    if (here <= 1 || here == runtime.ranks()) return {{Name("all"), runtime.ranks()}};
    return {{Name("nodes"), runtime.ranks() / here}, {Name("inside"), here}};
  }

  /// Computes `expression` up to `iterations` times, fewer where it takes long. Calls `each()` after each time.
  template <typename Each>
  void repeat(const std::string& expression, int iterations, const Each& each) {
    timeline_->clear();
    const double until = timeline_->now() + kLongest;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      if (iteration > 0 && iteration % kFewest == 0 && agreed(timeline_->now() > until) != 0) return;
      run("let measured = " + expression);
      each();
    }
  }

  /// The least time of each step of a plan in many iterations, by the step's number.
  struct Iterations {
    std::shared_ptr<const schedule::Schedule> plan;
    std::map<int, double> least;
  };

  Iterations least_of(const std::string& expression, int iterations) {
    repeat(expression, iterations, [] {});
    // The first iterations may change the memory of the result, and so the plan.
    Iterations result{timeline_->events().back().schedule, {}};
    for (const run::Timeline::Event& event : timeline_->events()) {
      if (event.schedule != result.plan) continue;
      double& seconds = result.least.try_emplace(event.step, event.busy).first->second;
      seconds = std::min(seconds, event.busy);
    }
    return result;
  }

  static Measured described(const schedule::Schedule& schedule, const schedule::Step& step, double seconds) {
    const spmd::LocalProgram& program = schedule.program;
    const std::vector<spmd::InstructionCost> costs = plan::predict_without_memory(schedule).costs;
    Measured measured{.seconds = seconds};
    for (int i : step.instructions) {
      measured.flops += static_cast<double>(costs[i].flops.value());
      measured.wire_bytes += static_cast<double>(costs[i].wire_bytes);
    }
    const auto bytes = [&](int v) {
      return static_cast<double>(schedule::largest_block(program.values[v]) * size_of(program.values[v].element));
    };
    for (int v : step.reads) measured.bytes += bytes(v);
    for (int v : step.writes) {
      measured.bytes += bytes(v);
      measured.elements += static_cast<double>(schedule::largest_block(program.values[v]));
    }
    if (step.kind == schedule::StepKind::kCollective)
      measured.messages = static_cast<double>(step.calls * costs[step.instructions[0]].messages);
    return measured;
  }

  static run::MpiRuntimeOptions noting(run::MpiRuntimeOptions options, std::shared_ptr<run::Timeline> timeline) {
    options.timeline = std::move(timeline);
    return options;
  }

  std::shared_ptr<run::Timeline> timeline_;
  run::MpiRuntime runtime_;
  plan::Execution execution_;
  std::unique_ptr<session::Session> session_;
  std::vector<Axis> axes_;
};

/// Returns a number of iterations that takes some tenths of a second, the same on every rank.
int iterations_for(double operations) { return static_cast<int>(std::clamp(5e9 / operations, 10.0, 200.0)); }

// ---- memory ---------------------------------------------------------------------------------------------------------

void measure_memory(Laboratory& laboratory, cost::MachineModel& machine) {
  laboratory.run("dim few = 16\nlet x = random.normal([few])");
  machine.step = laboratory.measure("x * 0.5", 200).seconds;
  laboratory.run("model Kept { state s: [few] = 1 }\nlet kept = Kept()");
  machine.host = laboratory.measure_host("for i in 0..400 { kept.s := kept.s * 0.5 }");
  std::vector<std::pair<double, double>> bandwidths;  // by bytes touched
  for (int64_t elements = 16 << 10; elements <= 16 << 20; elements *= 4) {
    laboratory.run(fmt::format("dim n = {}\nlet x = random.uniform([n])", elements));
    const Measured measured = laboratory.measure("x * 0.5", iterations_for(200.0 * static_cast<double>(elements)));
    bandwidths.emplace_back(measured.bytes, measured.bytes / std::max(measured.seconds - machine.step, 1e-9));
  }
  machine.memory_bandwidth = bandwidths.back().second;
  machine.cache_bandwidth = std::max(bandwidths[0].second, bandwidths[1].second);
  machine.cache = bandwidths[0].first;
  const double between = std::sqrt(machine.memory_bandwidth * machine.cache_bandwidth);
  for (const auto& [bytes, bandwidth] : bandwidths)
    if (bandwidth > between) machine.cache = bytes;
}

// ---- products -------------------------------------------------------------------------------------------------------

/// Returns flops per second.
double measure_product(Laboratory& laboratory, int rows, int columns, int inner, const std::string& element) {
  laboratory.run(fmt::format(
      "dim m = {}, n = {}, k = {}\nlet x = cast(random.normal([m, k]), {})\nlet y = cast(random.normal([k, n]), {})",
      rows, columns, inner, element, element));
  const Measured measured =
      laboratory.measure("einsum(x, y -> [m, n])", iterations_for(2.0 * rows * columns * inner / 10));
  return measured.flops / measured.seconds;
}

void measure_products(Laboratory& laboratory, cost::MachineModel& machine) {
  const double square = measure_product(laboratory, 512, 512, 512, "f32"),
               wide = measure_product(laboratory, 256, 1024, 512, "f32");
  machine.flops[ElementType::kF32] = std::sqrt(square * wide);
  // Measures how much slower products with a side of ten are, on average over the three sides.
  constexpr int kSide = 10;
  double slower = 1;
  for (const auto& [rows, columns, inner] :
       std::vector<std::array<int, 3>>{{512, kSide, 512}, {512, 512, kSide}, {kSide, 512, 512}})
    slower *= machine.flops[ElementType::kF32] / measure_product(laboratory, rows, columns, inner, "f32");
  machine.narrow = kSide * std::max(1.0, std::cbrt(slower));
  for (ElementType element : {ElementType::kF64, ElementType::kBf16}) {
    machine.flops[element] = measure_product(laboratory, 256, 256, 256, std::string(name(element)));
  }
}

// ---- other operations -----------------------------------------------------------------------------------------------

void measure_operations(Laboratory& laboratory, cost::MachineModel& machine) {
  const auto rate = [&](const Measured& measured, double work) {
    return work / std::max(measured.seconds - machine.step, 1e-9);
  };
  for (ElementType element : {ElementType::kF32, ElementType::kF64, ElementType::kBf16}) {
    laboratory.run(
        fmt::format("dim n = 16384\nlet x = cast(random.uniform([n], low: 0.5, high: 1.5), {})", name(element)));
    const Measured chain = laboratory.measure("maximum(((x + 1) * 0.5 + 0.25) * 0.75 - 0.125, 0.5) * 0.3 + x", 200);
    machine.rates["elementwise"][element] = rate(chain, chain.flops);
  }
  laboratory.run("dim n = 16384\nlet x = random.uniform([n], low: 0.5, high: 1.5)");
  for (const char* function :
       {"exp", "log", "tanh", "sigmoid", "gelu", "swish", "sin", "cos", "sqrt", "rsqrt", "elu", "selu", "softplus"}) {
    const Measured measured = laboratory.measure(fmt::format("{}(x)", function), 100);
    machine.rates[function][ElementType::kF32] = rate(measured, measured.elements);
  }
  laboratory.run("let y = random.uniform([n], low: 0.5, high: 1.5)");
  const Measured division = laboratory.measure("x / y", 100);
  machine.rates["div"][ElementType::kF32] = rate(division, division.flops);
  for (const char* function : {"gelu", "swish"}) {
    const Measured measured = laboratory.measure(fmt::format("grad(sum({}(x)), x)", function), 60);
    machine.rates[fmt::format("{}_grad", function)][ElementType::kF32] = rate(measured, measured.elements);
  }
  // As in backward passes: at the end of a chain, over the outer dims and over the inner dims.
  laboratory.run(
      "dim outer = 2048, inner = 256\nlet x = random.normal([outer, inner])\nlet y = random.normal([outer, inner])");
  const Measured down = laboratory.measure("sum(x * y + x, over: outer)", 40),
                 along = laboratory.measure("sum(x * y + x, over: inner)", 40);
  machine.rates["reduction"][ElementType::kF32] = std::sqrt(rate(down, down.flops) * rate(along, along.flops));
  laboratory.run(
      "dim rows = 128, columns = 512\nlet x = random.normal([rows, columns])\nlet labels = random.integers([rows], 0, "
      "512)");

  for (const auto& [operation, call] :
       std::vector<std::pair<std::string, std::string>>{{"softmax", "softmax(x, over: columns)"},
                                                        {"log_softmax", "log_softmax(x, over: columns)"},
                                                        {"logsumexp", "logsumexp(x, over: columns)"},
                                                        {"layer_norm", "layer_norm(x, over: columns)"},
                                                        {"cross_entropy", "cross_entropy(x, labels, over: columns)"}}) {
    const Measured measured = laboratory.measure(call, 60);
    machine.rates[operation][ElementType::kF32] = rate(measured, measured.flops);
  }
  for (const auto& [operation, call] :
       std::vector<std::pair<std::string, std::string>>{{"random.uniform", "random.uniform([rows, columns])"},
                                                        {"random.normal", "random.normal([rows, columns])"}}) {
    const Measured measured = laboratory.measure(call, 60);
    machine.rates[operation][ElementType::kF32] = rate(measured, measured.elements);
  }
}

/// Attention spends much of its time in exponentials, at a rate of its own.
void measure_attention(Laboratory& laboratory, cost::MachineModel& machine) {
  laboratory.run(
      "dim batch = 4, heads = 2, length = 64, memory = 64, features = 32\n"
      "let q = random.normal([batch, heads, length, features])\nlet k = random.normal([batch, heads, memory, "
      "features])");
  const std::string call = "attention(q, k, k, over: memory, along: length, features: features)";
  const Measured forward = laboratory.measure(call, 60),
                 backward = laboratory.measure(fmt::format("grad(sum({}), q)", call), 60);
  machine.rates["attention"][ElementType::kF32] = forward.flops / forward.seconds;
  machine.rates["attention_gradient"][ElementType::kF32] = backward.flops / backward.seconds;
}

// ---- links ----------------------------------------------------------------------------------------------------------

cost::Link link_of(const std::vector<Measured>& measured) {
  cost::Link link;
  link.latency = measured[0].seconds / std::max(measured[0].messages, 1.0);
  double product = 1;
  for (size_t i = 1; i < measured.size(); ++i)
    product *= measured[i].wire_bytes /
               std::max(measured[i].seconds - measured[i].messages * link.latency, measured[i].seconds / 10);
  link.bandwidth = std::pow(product, 1.0 / static_cast<double>(measured.size() - 1));
  return link;
}

/// Returns the links of these kinds of collectives along an axis, with all ranks at work.
std::map<spmd::CollectiveKind, cost::Link> links_along(Laboratory& laboratory, const Axis& axis,
                                                       const std::vector<spmd::CollectiveKind>& kinds) {
  // Larger collectives are measured only if a few take less than this, by the smaller ones.
  constexpr double kLongest = 0.1;
  constexpr int kChain = 8;
  std::string chain = "blocks";
  for (int i = 0; i < kChain; ++i) chain = fmt::format("shift({}, n: here, wrap: true)", chain);
  const std::map<spmd::CollectiveKind, std::string> calls = {
      {spmd::CollectiveKind::kAllReduce, "sum(parts, over: part)"},
      {spmd::CollectiveKind::kReduceScatter, fmt::format("sum(parts, over: part) @ {{n -> {}}}", axis.name.str())},
      {spmd::CollectiveKind::kAllGather, "blocks @ {}"},
      {spmd::CollectiveKind::kAllToAll, fmt::format("crossed @ {{part -> {}}}", axis.name.str())},
      {spmd::CollectiveKind::kPermute, chain}};
  std::map<spmd::CollectiveKind, cost::Link> links;
  for (const spmd::CollectiveKind kind : kinds) {
    laboratory.tell(fmt::format("{} along {} of {}", name(kind), axis.name.str(), axis.size));
    std::vector<Measured> measured;
    int64_t before = 1;
    for (const int64_t elements : {int64_t{1}, int64_t{32} << 10, int64_t{256} << 10}) {
      const bool is_long =
          measured.size() > 1 &&
          measured.back().seconds * static_cast<double>(elements) / static_cast<double>(before) > kLongest;
      if (laboratory.agreed(is_long) != 0) break;
      before = elements;
      laboratory.run(fmt::format(
          "let here = {0}\ndim part = {1}, n = {2}\nlet parts = random.normal([part, n]) @ {{part -> {3}}}\n"
          "let blocks = random.normal([n]) @ {{n -> {3}}}\nlet crossed = random.normal([part, n]) @ {{n -> {3}}}",
          elements, axis.size, elements * axis.size, axis.name.str()));
      const int iterations = elements == 1 ? 200 : 100;
      measured.push_back(kind == spmd::CollectiveKind::kPermute ? laboratory.measure_chain(calls.at(kind), iterations)
                                                                : laboratory.measure(calls.at(kind), iterations, true));
    }
    links[kind] = link_of(measured);
  }
  return links;
}

void measure_links(Laboratory& laboratory, cost::MachineModel& machine) {
  using enum spmd::CollectiveKind;
  const std::vector<Axis>& axes = laboratory.axes();
  machine.collectives =
      links_along(laboratory, axes.back(), {kAllReduce, kReduceScatter, kAllGather, kAllToAll, kPermute});
  machine.link = machine.collectives.at(kAllReduce);
  if (axes.size() == 1) return;
  machine.node = axes.back().size;
  const std::map<spmd::CollectiveKind, cost::Link> between =
      links_along(laboratory, axes.front(), {kAllReduce, kAllGather, kPermute});
  // One link stands for all kinds: the middle one.
  std::vector<double> bandwidths;
  for (const auto& [kind, link] : between) bandwidths.push_back(link.bandwidth);
  std::sort(bandwidths.begin(), bandwidths.end());
  machine.between = {between.at(kAllReduce).latency, bandwidths[1]};
}

/// Runs a collective of up to 4 MiB and a longer product, each alone and both in one plan, where the product's chunks
/// let MPI progress. Returns the median over several rounds of the hidden part of the collective's time: its time alone
/// minus the time that it adds to the product.
double measure_overlap(Laboratory& laboratory, const cost::MachineModel& machine) {
  constexpr int kRounds = 3, kIterations = 15;
  constexpr double kSeconds = 0.02;  // of the collective, where the link is slow
  constexpr double kNoise = 0.05;
  const std::string collective = "sum(parts, over: part)", product = "einsum(x, y -> [m, n])";
  const Axis& axis = laboratory.axes().front();
  const cost::Link& link = laboratory.axes().size() > 1 ? machine.between : machine.link;
  const int64_t wide =
      laboratory.agreed(static_cast<int64_t>(std::clamp(link.bandwidth * kSeconds / sizeof(float), 1e4, 1048576.0)));
  laboratory.tell("collectives beside products");
  laboratory.run(
      fmt::format("dim part = {}, wide = {}, m = 1024, n = 1024, k = 512\nlet parts = random.normal([part, wide]) @ "
                  "{{part -> {}}}\n"
                  "let x = random.normal([m, k])\nlet y = random.normal([k, n])",
                  axis.size, wide, axis.name.str()));
  std::vector<double> hidden;
  for (int round = 0; round < kRounds; ++round) {
    const double communicates = laboratory.measure_all(collective, kIterations),
                 computes = laboratory.measure_all(product, kIterations);
    const double both = laboratory.measure_all("[" + collective + ", " + product + "]", kIterations);
    hidden.push_back((communicates + computes - both) / communicates);
  }
  std::nth_element(hidden.begin(), hidden.begin() + kRounds / 2, hidden.end());
  const double overlap = std::clamp(hidden[kRounds / 2], 0.0, 1.0);
  return overlap < kNoise ? 0 : overlap;
}

/// Makes a model of this machine, with one thread on each rank. All ranks call it. Measures links and `overlap` only if
/// there are several ranks.
cost::MachineModel calibrate(const run::MpiRuntimeOptions& options) {
  Laboratory laboratory(options);
  cost::MachineModel machine;
  machine.name = laboratory.ranks() == 1 ? "this machine, as measured on one rank"
                                         : fmt::format("this machine, as measured on {} ranks", laboratory.ranks());
  laboratory.tell("memory");
  measure_memory(laboratory, machine);
  laboratory.tell("products");
  measure_products(laboratory, machine);
  laboratory.tell("other operations");
  measure_operations(laboratory, machine);
  measure_attention(laboratory, machine);
  if (laboratory.ranks() > 1) {
    measure_links(laboratory, machine);
    machine.overlap = measure_overlap(laboratory, machine);
  }
  return machine;
}

bool is_machine(const std::string& text) {
  try {
    cost::parse_machine(text, "");
    return true;
  } catch (const UserError&) { return false; }
}

struct CalibrateOptions {
  std::string file;
  int ranks = 1;
};

constexpr std::chrono::minutes kLongestCalibration{10};

/// Starts this command again with `ranks` ranks, and returns the output of the first rank.
std::string on_ranks(int ranks, int threads) {
  std::vector<std::pair<std::string, std::string>> variables = {{"OMPI_MCA_rmaps_base_oversubscribe", "1"}};
  if (geteuid() == 0)
    variables.insert(variables.end(), {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  std::vector<std::string> words = {"mpirun", "-q", "-n", std::to_string(ranks), own_program(), "calibrate"};
  if (threads != 0) words.insert(words.end(), {"--threads", std::to_string(threads)});
  const ProcessResult result = run_process(words, variables, kLongestCalibration);
  if (result.status != 0)
    fail(Diagnostic(Kind::bad_usage, {},
                    fmt::format("`mpirun -n {} mtf calibrate` ended with status {}: {}", ranks, result.status,
                                trim(result.err)))
             .help("start it yourself, as other programs are started on ranks here"));
  return result.out;
}

int run(const CalibrateOptions& options, const ProgramOptions& program) {
  const Launch here = launch();
  if (options.ranks < 1 || options.ranks > 1024)
    fail(Kind::bad_option_value, {}, "--ranks {}: expected a number from 1 to 1,024", options.ranks);
  if (here.uses_mpi() && options.ranks != 1)
    fail(Diagnostic(Kind::bad_usage, {}, "--ranks starts ranks, and this is one").help("leave it out under mpirun"));
  if (!options.file.empty() && here.rank == 0)
    expect_replaceable(options.file, "a machine model", [&](const std::string& text) { return is_machine(text); });
  std::string text;
  if (options.ranks > 1) {
    text = on_ranks(options.ranks, program.threads);
  } else {
    run::MpiRuntimeOptions runtime = runtime_options_of(program);
    if (runtime.threads == 0) runtime.threads = 1;
    runtime.use_mpi = here.uses_mpi();
    text = to_json(calibrate(runtime));
    if (here.rank != 0) return 0;
  }
  if (options.file.empty()) write_output(text);
  else replace_file(options.file, text);
  return 0;
}

}  // namespace

const Command kCalibrateCommand = {
    .name = "calibrate",
    .summary = "Measure this machine, for estimates of time",
    .details =
        "Writes a machine model in JSON, which `--machine FILE` of plan, compare and search reads: how many operations "
        "a\n"
        "second one thread computes, by kind of operation and element type, how fast it reaches its memory and cache, "
        "how\n"
        "long a kernel takes to begin, and, on several ranks, the latency and bandwidth of each kind of collective, "
        "and the\n"
        "part of one that goes on beside computing. It takes some seconds; other work on the machine lengthens it more "
        "than\n"
        "it changes the figures, which are the least of many turns. Where each node has as many ranks, links inside of "
        "nodes\n"
        "and `between` them are measured apart, and several ranks say on standard error what they measure. Calibrate "
        "on as many ranks as will run: they share "
        "the\n"
        "memory. All is processor time: where processors copy what they communicate themselves, as the ranks of one "
        "machine\n"
        "do, nothing goes on beside computing, and there is no `overlap`, nor with less than a twentieth of a "
        "collective.\n"
        "\n"
        "A file may be written by hand for another machine. All of it may be left out:\n"
        "  {\"name\": \"my cluster\", \"like\": \"h100\",        what is left out is as of this machine\n"
        "   \"flops\": {\"f32\": 1.4e12, \"bf16\": 2.2e13},      of products, a second, of one processor\n"
        "   \"rates\": {\"elementwise\": {\"f32\": 2e11},        of kinds (also reduction, and moving: elements a "
        "second)\n"
        "             \"tanh\": {\"f32\": 4e10}},              and of single operations by their names\n"
        "   \"narrow\": 32,                                  a product with a shorter side takes as long as with this "
        "one\n"
        "   \"ramp\": 200,                                  and as with so many more terms in its sums\n"
        "   \"unaligned\": 3.5,                             times as long if a row is not of whole 16 bytes\n"
        "   \"memory_bandwidth\": 9e11, \"step\": 5e-6,        bytes a second; seconds that a kernel takes to begin\n"
        "   \"host\": 2e-6,                                 seconds of the host for each run of a plan\n"
        "   \"cache\": 4e6, \"cache_bandwidth\": 4e12,         of the first `cache` bytes that a kernel touches\n"
        "   \"memory\": 16e9,                                bytes of one processor\n"
        "   \"latency\": 2e-6, \"bandwidth\": 1.2e10,          of a message: seconds, bytes a second\n"
        "   \"fuses\": false,                               each element-wise operation is a kernel of its own\n"
        "   \"stores_scores\": true,                        attention is products, a softmax and kernels for dropout\n"
        "   \"node\": 8,                                     processors in a node: the link above is inside of nodes\n"
        "   \"between\": {\"bandwidth\": 1.2e9},              and this one between them, for each processor of a node\n"
        "   \"peak\": {\"bf16\": 3.1e13},                     what the datasheet promises, for the share of the peak\n"
        "   \"overlap\": 0.8,                                of a collective, the part that goes on beside computing\n"
        "   \"collectives\": {\"all_to_all\": {\"latency\": 9e-6}},   where a kind of collective differs\n"
        "   \"axes\": {\"cols\": {\"bandwidth\": 1e11}},        where an axis of the mesh differs\n"
        "   \"sources\": {\"memory\": \"data sheet\"}}          where figures come from, by the names of parts\n"
        "Processors that follow each other in the mesh, the last axis fastest, share a node. `mtf help machines` lists "
        "files\n"
        "that are there.\n"
        "\n"
        "Examples:\n"
        "  mtf calibrate machine.json\n"
        "  mtf calibrate machine.json --ranks 2\n"
        "  mpirun -n 4 mtf calibrate machine.json\n"
        "  mtf plan two_layer.mtf --machine machine.json\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<CalibrateOptions>();
      parser.word("file", options->file, "Where the model is written (default: standard output)", false);
      parser.number("--ranks", options->ranks, "N", "Start so many ranks with mpirun, and measure between them");
      add_threads_option(parser, program);
      return [options, &program] { return run(*options, program); };
    }};

}  // namespace mtf::tool
