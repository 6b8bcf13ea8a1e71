#include "script.h"
#include "../places.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "on_ranks.h"
#include "ops/spaces.h"
#include "syntax/parse.h"

namespace mtf::properties {

namespace {
constexpr size_t kLongest = 16384;  // bytes of a description that a crash shows
}  // namespace

std::string Script::text() const {
  std::string text = inputs + body;
  for (const std::string& name : results) text += "print(" + name + ")\n";
  return text;
}

std::string to_string(const Where& where) {
  if (where.mesh.empty()) return where.cut_each ? "its own mesh, cut after every statement" : "its own mesh";
  return fmt::format("--mesh \"{}\" --layout \"{}\"{}", where.mesh, where.layout,
                     where.cut_each ? ", cut after every statement" : "");
}

int64_t processors_of(const std::string& mesh) {
  int64_t size = 1;
  for (const Axis& axis : parse_axes(mesh)) size *= axis.size;
  return size;
}

int64_t wire_bytes(const plan::Counters& counters) {
  int64_t bytes = 0;
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
    bytes += counters.total(static_cast<spmd::CollectiveKind>(kind)).wire_bytes;
  return bytes;
}

eval::Settings settings_at(const Where& where) {
  static const auto parsed = std::make_shared<syntax::ParsedScripts>();
  eval::Settings settings;
  settings.parsed = parsed;
  if (!where.mesh.empty()) {
    settings.mesh = parse_axes(where.mesh);
    settings.layout = parse_layout(where.layout);
  }
  settings.stdlib = stdlib_folder();
  return settings;
}

Counting::Counting(plan::Execution& execution) : execution_(execution) {
  execution_.runtime().restart_peak();
  before_ = execution_.counters();
}

plan::Counters Counting::counters() const { return difference(execution_.counters(), before_); }

Evaluation::Evaluation(plan::Execution& on, const Where& where)
    : execution(on), evaluator(settings_at(where), &on, out), where_(where) {}

void Evaluation::run(const std::string& text, bool cut_each) {
  if (written_.size() < kLongest) written_ += text;
  now_running(to_string(where_) + "\n" + written_);
  const auto program = evaluator.settings.parsed->parse_or_throw(SourceFile::create("property.mtf", text));
  for (size_t i = 0; i < program->body.statements.size(); ++i) {
    evaluator.run_entry_statement(program, i);
    if (cut_each) compute_all();
  }
}

void Evaluation::compute_all() {
  graph::Values roots;
  for (const eval::Binding& binding : evaluator.top()->bindings)
    if (const graph::Value* tensor = tensor_of(binding.value)) roots.push_back(*tensor);
  execution.compute(roots);
}

graph::Value Evaluation::value(const std::string& name) const {
  const eval::Scope::Found found = evaluator.top()->find(Name(name));
  const graph::Value* tensor = found.binding ? tensor_of(found.binding->value) : nullptr;
  MTF_CHECK(tensor, "the script binds no tensor {}", name);
  return *tensor;
}

void Evaluation::set(const std::string& name, const plan::HostTensor& data) {
  evaluator.builder.written = false;
  graph::Value leaf = evaluator.builder.add(ops::kConstant, {}, ops::TypeAttributes{data.type});
  evaluator.builder.written = true;
  execution.place(*leaf.node, data);
  evaluator.top()->find(Name(name)).binding->value = leaf;
}

Outcome run(plan::Execution& execution, const Script& script, const Where& where) {
  Evaluation evaluation(execution, where);
  evaluation.run(script.inputs);
  evaluation.compute_all();
  const Counting counting(execution);
  evaluation.run(script.body, where.cut_each);
  graph::Values roots;
  for (const std::string& name : script.results) roots.push_back(evaluation.value(name));
  execution.compute(roots);
  Outcome outcome;
  outcome.counters = counting.counters();
  if (!execution.runtime().knows_numbers()) return outcome;
  for (const graph::Value& root : roots) outcome.results.push_back(execution.fetch(root));
  return outcome;
}

bool is_illegal(const Script& script, const Where& where) {
  try {
    run(dry_execution(), script, where);
  } catch (const UserError& error) { return error.diagnostic().kind() == Kind::axis_used_twice; }
  return false;
}

namespace {

struct Executions {
  std::optional<ExecutionOn<run::MpiRuntime>> hosting_all, looping, single, shared, shared_single;
  std::optional<ExecutionOn<run::DryRuntime>> dry, dry_looping;
  std::optional<ExecutionOn<run::ReferenceRuntime>> reference;
};

/// Executions of this process: a forked child does not have the threads of its parent.
Executions& executions() {
  static pid_t owner = getpid();
  static Executions* executions = new Executions;
  if (owner != getpid()) owner = getpid(), executions = new Executions;
  return *executions;
}

template <typename R, typename... Options>
ExecutionOn<R>& made(std::optional<ExecutionOn<R>>& execution, Options... options) {
  if (!execution) execution.emplace(std::move(options)...);
  return *execution;
}

std::array<char, kLongest> running{};

void say_what_ran(int signal) {
  const char* head = "\nThis crashed:\n";
  [[maybe_unused]] ssize_t ignored = write(2, head, std::strlen(head));
  ignored = write(2, running.data(), strnlen(running.data(), kLongest));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

namespace {

ExecutionOn<run::MpiRuntime>& shared_between_ranks() {
  return made(executions().shared,
              run::MpiRuntimeOptions{.threads = 1, .use_mpi = under_mpi(), .check_replicas = true, .scrub = true},
              plan::ExecutionOptions{.verify_passes = true});
}

}  // namespace

plan::Execution& execution() {
  return made(executions().hosting_all, run::MpiRuntimeOptions{.threads = 2, .scrub = true},
              plan::ExecutionOptions{.verify_passes = true});
}
plan::Execution& dry_execution() { return made(executions().dry, plan::ExecutionOptions{.verify_passes = true}); }
plan::Execution& looping_execution() {
  return made(executions().looping, run::MpiRuntimeOptions{.threads = 2, .scrub = true},
              plan::ExecutionOptions{.most_whole = 0, .verify_passes = true});
}
plan::Execution& dry_looping_execution() {
  return made(executions().dry_looping, plan::ExecutionOptions{.most_whole = 0, .verify_passes = true});
}
plan::Execution& reference_execution() { return made(executions().reference); }
plan::Execution& single_execution() {
  return made(executions().single, run::MpiRuntimeOptions{.threads = 1, .scrub = true},
              plan::ExecutionOptions{.skipped_passes = {"fuse_loops"}, .verify_passes = true});
}
plan::Execution& shared_execution() { return shared_between_ranks(); }
run::MpiRuntime& shared_runtime() { return shared_between_ranks().runtime(); }
plan::Execution& shared_single_execution() {
  return made(executions().shared_single,
              run::MpiRuntimeOptions{
                  .threads = 1, .use_mpi = under_mpi(), .share_memory = false, .check_replicas = true, .scrub = true},
              plan::ExecutionOptions{.skipped_passes = {"fuse_loops"}, .verify_passes = true});
}
void end_executions() {
  Executions& all = executions();
  for (auto* each : {&all.hosting_all, &all.looping, &all.single, &all.shared, &all.shared_single}) each->reset();
  all.dry.reset();
  all.dry_looping.reset();
  all.reference.reset();
}

void now_running(const std::string& description) {
  const size_t size = std::min(description.size(), kLongest - 1);
  std::memcpy(running.data(), description.data(), size);
  running[size] = 0;
}

void print_on_crash() {
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, say_what_ran);
}

}  // namespace mtf::properties
