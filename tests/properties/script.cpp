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
  return fmt::format("--mesh \"{}\" --layout \"{}\"{}", where.mesh, where.layout, where.cut_each ? ", cut after every statement" : "");
}

int64_t processors_of(const std::string& mesh) {
  int64_t size = 1;
  for (const Axis& axis : parse_axes(mesh)) size *= axis.size;
  return size;
}

int64_t wire_bytes(const Counters& counters) {
  int64_t bytes = 0;
  for (int kind = 0; kind < kCollectiveKinds; ++kind) bytes += counters.total(static_cast<CollectiveKind>(kind)).wire_bytes;
  return bytes;
}

Settings Evaluation::settings_of(const Where& where) {
  Settings settings;
  if (!where.mesh.empty()) {
    settings.mesh = parse_axes(where.mesh);
    settings.layout = parse_layout_rules(where.layout);
  }
  settings.stdlib = stdlib_folder();
  return settings;
}

Evaluation::Evaluation(Engine& on, const Where& where) : engine(on), evaluator(settings_of(where), &on, out), where_(where) {}

void Evaluation::run(const std::string& text, bool cut_each) {
  if (written_.size() < kLongest) written_ += text;
  now_running(to_string(where_) + "\n" + written_);
  auto program = std::make_shared<ast::Program>(parse_or_throw(SourceFile::create("property.mtf", text)));
  for (size_t i = 0; i < program->body.statements.size(); ++i) {
    evaluator.run_entry_statement(program, i);
    if (cut_each) compute_all();
  }
}

void Evaluation::compute_all() {
  Values roots;
  for (const Binding& binding : evaluator.top()->bindings)
    if (const Value* tensor = tensor_of(binding.value)) roots.push_back(*tensor);
  engine.compute(roots);
}

Value Evaluation::value(const std::string& name) const {
  const Scope::Found found = evaluator.top()->find(Name(name));
  const Value* tensor = found.binding ? tensor_of(found.binding->value) : nullptr;
  MTF_CHECK(tensor, "the script binds no tensor {}", name);
  return *tensor;
}

void Evaluation::set(const std::string& name, const HostTensor& data) {
  evaluator.builder.written = false;
  Value leaf = evaluator.builder.add(ops::kConstant, {}, {.dims = data.type.dims, .ints = {}, .element = data.type.element});
  evaluator.builder.written = true;
  engine.place(*leaf.node, data);
  evaluator.top()->find(Name(name)).binding->value = leaf;
}

Outcome run(Engine& engine, const Script& script, const Where& where) {
  Evaluation evaluation(engine, where);
  evaluation.run(script.inputs);
  evaluation.compute_all();
  engine.restart_peak();
  const Counters before = engine.counters();
  evaluation.run(script.body, where.cut_each);
  Values roots;
  for (const std::string& name : script.results) roots.push_back(evaluation.value(name));
  engine.compute(roots);
  Outcome outcome;
  outcome.counters = difference(engine.counters(), before);
  if (engine.dry()) return outcome;
  for (const Value& root : roots) outcome.results.push_back(engine.fetch(root));
  return outcome;
}

bool is_illegal(const Script& script, const Where& where) {
  try {
    run(dry_engine(), script, where);
  } catch (const UserError& error) {
    return error.diagnostic().kind() == Kind::axis_used_twice;
  }
  return false;
}

namespace {

struct Engines {
  std::optional<Engine> hosting_all, dry, reference, single, shared, shared_single;
};

/// This process's own: a child of a process that had some has not its threads.
Engines& engines() {
  static pid_t owner = getpid();
  static Engines* engines = new Engines;
  if (owner != getpid()) owner = getpid(), engines = new Engines;
  return *engines;
}

Engine& made(std::optional<Engine>& engine, EngineOptions options) {
  if (!engine) engine.emplace(std::move(options));
  return *engine;
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

Engine& engine() { return made(engines().hosting_all, {.threads = 2, .scrub = true}); }
Engine& dry_engine() { return made(engines().dry, {.threads = 1, .dry = true}); }
Engine& reference_engine() { return made(engines().reference, {.threads = 1, .dry = true, .reference = true}); }
Engine& single_engine() { return made(engines().single, {.threads = 1, .fuse = false, .scrub = true}); }
Engine& shared_engine() {
  return made(engines().shared, {.threads = 1, .use_mpi = under_mpi(), .check_replicas = true, .scrub = true});
}
Engine& shared_single_engine() {
  return made(engines().shared_single, {.threads = 1, .use_mpi = under_mpi(), .share_memory = false, .fuse = false, .check_replicas = true, .scrub = true});
}
void end_engines() {
  for (std::optional<Engine>* each : {&engines().hosting_all, &engines().dry, &engines().reference, &engines().single, &engines().shared, &engines().shared_single}) each->reset();
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
