// Estimated step times against measured ones, for layouts of an MLP's and a GPT's training step:
//
//     bench_estimates_bench MACHINE.json [--steps]          on one rank
//     mpirun -n 2 bench_estimates_bench MACHINE.json        on two
//
// `mtf calibrate` has written the machine's description. The measured time is a sum over the steps of a plan: of the
// least time of each step in many iterations. Other work of the machine lengthens a step in some iterations, but hardly
// in all. `--steps` lists the single steps with the largest difference between estimate and measurement.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "../places.h"
#include "bench.h"
#include "cost/step_time.h"
#include "graph/op.h"
#include "plan/predict.h"
#include "run/timeline.h"

namespace mtf {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Case {
  std::string script;
  std::vector<std::pair<std::string, std::string>> set;
  std::string layout;
};

struct Times {
  double estimated = 0, measured = 0;
};

std::string described(const schedule::Schedule& schedule, const schedule::Step& step) {
  const spmd::LocalProgram& program = schedule.program;
  const spmd::Instruction& first = program.instructions[step.instructions[0]];
  std::string text = step.kind == schedule::StepKind::kCollective ? std::string(name(counted_as(first.kind)))
                     : step.kind == schedule::StepKind::kFusion   ? fmt::format("loop of {}", step.instructions.size())
                                                                  : std::string(first.node->op->name);
  for (int v : step.reads) text += " " + to_string(program.values[v].type());
  text += " ->";
  for (int v : step.writes) text += " " + to_string(program.values[v].type());
  return text;
}

Times time_case(const Case& which, const cost::MachineModel& machine, bool use_mpi, bool lists) {
  const auto timeline = std::make_shared<run::Timeline>();
  std::ostringstream out;
  ExecutionOn<run::MpiRuntime> execution(
      run::MpiRuntimeOptions{.threads = 1, .use_mpi = use_mpi, .timeline = timeline});
  const int ranks = execution.runtime().ranks();
  eval::Settings settings = Bench::settings("all:" + std::to_string(ranks), which.layout, ranks);
  settings.set = which.set;
  session::Session session(settings, &execution, out);
  const std::string path = source_folder() + "/tests/bench/" + which.script;
  session.run_text(path, read(path));

  const std::shared_ptr<const schedule::Schedule> plan = timeline->events().back().schedule;
  std::map<int, std::vector<double>> busy;
  for (const run::Timeline::Event& event : timeline->events())
    if (event.schedule == plan) busy[event.step].push_back(event.busy);
  const std::vector<spmd::InstructionCost> costs = plan::predict_without_memory(*plan).costs;
  Times times{time_of(*plan, costs, machine).total(), 0};
  struct Part {
    double estimated, measured;
    std::string text;
  };
  std::vector<Part> parts;
  for (const auto& [step, seconds] : busy) {
    const double least = *std::min_element(seconds.begin(), seconds.end());
    times.measured += least;
    parts.push_back(
        {time_of_step(*plan, plan->steps[step], costs, machine).total(), least, described(*plan, plan->steps[step])});
  }
  if (lists && execution.runtime().rank() == 0) {
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return std::abs(a.estimated - a.measured) > std::abs(b.estimated - b.measured);
    });
    for (size_t i = 0; i < std::min<size_t>(parts.size(), 24); ++i)
      fmt::print("    {:9.1f} {:9.1f} µs  {}\n", 1e6 * parts[i].estimated, 1e6 * parts[i].measured, parts[i].text);
  }
  return times;
}

int time_cases(int argc, char** argv) {
  const bool use_mpi = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr,
             lists = argc > 2 && std::string(argv[2]) == "--steps";
  const cost::MachineModel machine = argc > 1 ? cost::parse_machine(read(argv[1]), argv[1]) : cost::MachineModel();
  // Keeps MPI from ending between the cases.
  const run::MpiRuntime first({.threads = 1, .use_mpi = use_mpi});
  const int ranks = first.ranks();
  const bool speaks = first.rank() == 0;
  const std::vector<std::pair<std::string, std::vector<std::string>>> models = {
      {"mlp.mtf",
       {"", "batch:all", "hidden:all", "pixels:all", "classes:all", "pixels:all;classes:all", "batch:all;classes:all"}},
      {"gpt.mtf", {"", "batch:all", "heads:all;d_ff:all", "heads:all;d_ff:all;vocab:all", "d_ff:all", "d_model:all"}}};
  int wrong = 0, order = 0, cases = 0;
  for (const auto& [script, layouts] : models) {
    std::vector<Times> all;
    for (const std::string& layout : layouts) {
      if (layout == "batch:all;classes:all") continue;
      if (ranks == 1 && !layout.empty()) continue;
      all.push_back(
          time_case({script, {{"steps", script == "mlp.mtf" ? "40" : "16"}}, layout}, machine, use_mpi, lists));
      const double ratio = all.back().estimated / all.back().measured;
      wrong += ratio < 0.75 || ratio > 1.25;
      ++cases;
      if (speaks)
        fmt::print("{} on {}, {{{}}}: estimated {:.3f} ms, measured {:.3f} ms, ratio {:.2f}\n", script, ranks, layout,
                   1e3 * all.back().estimated, 1e3 * all.back().measured, ratio);
    }
    for (const Times& a : all)
      for (const Times& b : all) order += a.measured * 1.05 < b.measured && a.estimated > b.estimated;
  }
  if (speaks)
    fmt::print("{} of {} estimates are more than 25% off; {} pairs that differ by 5% are in the wrong order\n", wrong,
               cases, order);
  return wrong + order > 0;
}

}  // namespace
}  // namespace mtf

int main(int argc, char** argv) { return mtf::time_cases(argc, argv); }
