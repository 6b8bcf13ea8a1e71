#include "whole_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "compare.h"
#include "generator.h"
#include "random_program.h"
#include "session/session.h"

namespace mtf::properties {
namespace {

/// The tolerance of a printed number: absolute, and relative to the line's largest number. Six digits are printed, of
/// f32 numbers with the rounding of some tens of operations.
constexpr double kAbsolute = 3e-5, kScaled = 1e-4;
/// Factor of the tolerance if some values are bf16.
constexpr double kRounding = 1000;

constexpr size_t kTrials = 9;  // drawn; three are run

const char kEarly[] = "assert sum(fill([], 1, i32)) == 1";

eval::Settings settings_of(const WholeProgram& program, const Where& where) {
  eval::Settings settings = settings_at(where);
  settings.set = program.set;
  return settings;
}

std::string line_of(const Diagnostic& diagnostic) {
  const std::string rendered = diagnostic.render();
  const size_t arrow = rendered.find("--> "), end = rendered.find('\n', arrow);
  const std::string place = arrow == std::string::npos ? "" : rendered.substr(arrow + 4, end - arrow - 4);
  return fmt::format("{} at {}: {}", record(diagnostic.kind()).name, place, diagnostic.label());
}

std::string kind_of(const std::string& error) { return error.substr(0, error.find(' ')); }

WholeOutcome outcome_of(const std::string& text, const eval::Settings& settings, plan::Execution& execution,
                        const run::MpiRuntime* sending = nullptr) {
  WholeOutcome outcome;
  std::ostringstream out;
  execution.runtime().restart_peak();
  const int64_t wire_before = wire_bytes(execution.counters()), sent_before = sending ? sending->sent() : 0;
  try {
    session::Session session(settings, &execution, out);
    session.on_statement([&](const eval::StatementReport& report) {
      const int64_t line = static_cast<int64_t>(report.span.file->line_of(report.span.begin));
      if (outcome.statements.empty() || outcome.statements.back().line != line)
        outcome.statements.push_back({line, report.text, {}});
      plan::Counters& sum = outcome.statements.back().counters;
      const int64_t iterations = std::max<int64_t>(report.iterations, 1);
      sum.flops += iterations * report.counters.flops;
      sum.unique_flops += iterations * report.counters.unique_flops;
      sum.peak_bytes = std::max(sum.peak_bytes, report.counters.peak_bytes);
      for (int k = 0; k < spmd::kCollectiveKinds; ++k)
        for (const auto& [axes, count] : report.counters.collectives[k])
          for (int64_t iteration = 0; iteration < iterations; ++iteration) sum.collectives[k][axes] += count;
    });
    session.run_text("program.mtf", text);
  } catch (const UserError& error) {
    outcome.error = line_of(error.diagnostic());
  } catch (const std::exception& error) { outcome.broken = error.what(); }
  outcome.output = out.str();
  outcome.wire = wire_bytes(execution.counters()) - wire_before,
  outcome.sent = sending ? sending->sent() - sent_before : 0;
  return outcome;
}

/// `of_iterations`: bodies of functions and models may be iterations of a loop over a dim, in which the host reads
/// nothing.
Statements with_early_reads(const Statements& statements, bool of_iterations) {
  Statements result;
  for (const Statement& statement : statements) {
    result.push_back(statement);
    Statement& copy = result.back();
    const bool of_model = copy.text.starts_with("model ");
    if (of_iterations && (of_model || copy.text.starts_with("fn "))) {
      result.push_back({kEarly, {}, {}, {}});
      continue;
    }
    if (of_model) {
      for (Statement& part : *copy.body)
        if (part.body) part.body = with_early_reads(*part.body, of_iterations);
      continue;
    }
    if (copy.body) copy.body = with_early_reads(*copy.body, of_iterations);
    if (!copy.otherwise.empty()) copy.otherwise = with_early_reads(copy.otherwise, of_iterations);
    const bool ends_block = copy.text.starts_with("return") || copy.text == "break" || copy.text == "continue";
    if (ends_block) result.insert(result.end() - 1, Statement{kEarly, {}, {}, {}});
    else if (!copy.text.starts_with("dim ") && !copy.text.starts_with("option "))
      result.push_back({kEarly, {}, {}, {}});
  }
  return result;
}

/// Returns the first words of an internal error, which name the check.
std::string head_of(const std::string& message) {
  const std::string line = message.substr(0, message.find('\n'));
  return line.substr(0, 160);
}

struct Word {
  std::string text;
  bool number = false;
  double value = 0;
};

std::vector<Word> words_and_numbers_of(const std::string& line) {
  std::vector<Word> words;
  for (size_t i = 0; i < line.size();) {
    const char c = line[i];
    const bool sign =
        c == '-' && i + 1 < line.size() &&
        (std::isdigit(static_cast<unsigned char>(line[i + 1])) || line[i + 1] == 'i' || line[i + 1] == 'n');
    const bool starts = i == 0 || line[i - 1] == ' ' || line[i - 1] == '[';
    if (starts && (sign || std::isdigit(static_cast<unsigned char>(c)) || line.compare(i, 3, "inf") == 0 ||
                   line.compare(i, 3, "nan") == 0)) {
      char* end = nullptr;
      const double value = std::strtod(line.c_str() + i, &end);
      const size_t length = static_cast<size_t>(end - (line.c_str() + i));
      words.push_back({line.substr(i, length), true, value});
      i += length;
    } else {
      if (words.empty() || words.back().number) words.emplace_back();
      words.back().text += c;
      ++i;
    }
  }
  return words;
}

/// True if two lines `f …` differ only by rounding.
bool close(const std::string& a, const std::string& b, bool mixed) {
  const std::vector<Word> expected = words_and_numbers_of(a), found = words_and_numbers_of(b);
  if (expected.size() != found.size()) return false;
  double largest = 0;
  for (const Word& word : expected)
    if (word.number && std::isfinite(word.value)) largest = std::max(largest, std::abs(word.value));
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].number != found[i].number) return false;
    if (!expected[i].number && expected[i].text != found[i].text) return false;
    if (!expected[i].number || expected[i].text == found[i].text) continue;
    if (!(std::abs(expected[i].value - found[i].value) <= (mixed ? kRounding : 1) * (kAbsolute + kScaled * largest)))
      return false;
  }
  return true;
}

std::vector<std::string> lines_of(const std::string& text, bool counts) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (counts || !line.starts_with("c ")) lines.push_back(line);
  return lines;
}

/// A replayed iteration may hold one number longer than an iteration that is evaluated, as a plan does it. The number
/// takes a block of this size.
constexpr int64_t kOneNumber = 64;

std::string plan_difference(const WholeOutcome& plan, const WholeOutcome& run) {
  auto nothing = [](const plan::Counters& counters) {
    bool none = counters.flops == 0;
    for (const auto& kind : counters.collectives) none = none && kind.empty();
    return none;
  };
  auto of = [&](const WholeOutcome& outcome, int64_t line) {
    for (const auto& each : outcome.statements)
      if (each.line == line) return each.counters;
    return plan::Counters{};
  };
  std::string text;
  for (const auto& each : run.statements) {
    plan::Counters planned = of(plan, each.line);
    if (const int64_t more = each.counters.peak_bytes - planned.peak_bytes; more > 0 && more <= kOneNumber)
      planned.peak_bytes = each.counters.peak_bytes;
    if (nothing(planned) && nothing(each.counters)) continue;
    const std::string how = counter_difference(planned, each.counters);
    if (!how.empty()) text += fmt::format(" line {}, {}\n{}", each.line, each.text, how);
  }
  for (const auto& each : plan.statements) {
    const bool both = std::any_of(run.statements.begin(), run.statements.end(),
                                  [&](const auto& other) { return other.line == each.line; });
    if (!both && !nothing(each.counters))
      text += fmt::format(" line {}, {}\n  is planned and not run\n", each.line, each.text);
  }
  return text;
}

}  // namespace

std::string to_string(const Trial& trial) { return to_string(trial.where) + (trial.early ? ", read early" : ""); }

std::string text_at(const WholeProgram& program, const Trial& trial) {
  const std::string text = to_string(program.statements);
  return trial.early ? to_string(with_early_reads(program.statements, text.find("scan(") != std::string::npos)) : text;
}

/// Draws how params and states are stored, as a continuation of a layout on the command line.
static std::string random_storage(Dice& dice, const std::vector<std::string>& dims, const std::string& mesh) {
  std::string rules;
  for (const char* variables : {"params", "states"}) {
    std::string last;
    for (const Axis& axis : parse_axes(mesh)) {
      const std::string dim = dice.pick(dims);
      if (dim != last && dice.chance(60)) rules += fmt::format(";{} \"*\":{}:{}", variables, dim, axis.name.str());
      last = dim;
    }
  }
  return rules;
}

std::vector<Trial> trials_of(const WholeProgram& program, int ranks) {
  Dice dice(program.seed + 77);
  std::vector<Trial> trials;
  if (program.own_meshes && program.processors >= ranks) trials.push_back({{""}, false});
  std::vector<std::string> meshes;
  const std::vector<std::string> of_one_axis = {"p:2", "p:3", "p:4", "p:5", "p:8"},
                                 of_two = {"r:2;c:2", "r:2;c:3", "r:3;c:2", "r:3;c:1", "r:1;c:4", "r:4;c:2"};
  for (const std::string& mesh : program.axes.size() == 1 ? of_one_axis : of_two)
    if (processors_of(mesh) >= ranks) meshes.push_back(mesh);
  while (trials.size() < kTrials) {
    Trial trial;
    trial.where.mesh = dice.pick(meshes);
    trial.where.layout = random_layout(static_cast<uint64_t>(dice.below(1 << 30)), program.dims, trial.where.mesh);
    if (dice.chance(30)) trial.where.layout += random_storage(dice, program.dims, trial.where.mesh);
    trial.early = dice.chance(30);
    trials.push_back(trial);
  }
  return trials;
}

std::vector<Trial> simpler_trials(const WholeProgram& program, const Trial& trial, int ranks) {
  std::vector<Trial> simpler;
  if (!program.own_meshes && program.axes.size() == 1)
    for (const char* mesh : {"p:1", "p:2", "p:3"}) {
      if (processors_of(mesh) < ranks) continue;
      simpler.push_back({{mesh, ""}, false});
      for (const std::string& dim : program.dims) simpler.push_back({{mesh, dim + ":p"}, false});
    }
  simpler.push_back({trial.where, false});
  return simpler;
}

std::string output_difference(const std::string& expected, const std::string& found, bool counts, bool mixed) {
  const std::vector<std::string> a = lines_of(expected, counts), b = lines_of(found, counts);
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string x = i < a.size() ? a[i] : "(nothing more)", y = i < b.size() ? b[i] : "(nothing more)";
    if (x == y || (x.starts_with("f ") && y.starts_with("f ") && close(x, y, mixed))) continue;
    return fmt::format("line {} of the output\n  expected {}\n  found    {}\n", i + 1, x, y);
  }
  return {};
}

namespace {

Verdict fails(const std::string& kind, const std::string& what) { return {Verdict::Kind::kFails, {kind, what}}; }

/// Returns the refusal of the check, or nothing.
std::optional<Verdict> refusal(const WholeProgram& program, const std::string& text, const eval::Settings& settings) {
  Diagnostics found;
  try {
    found = session::Session::check_text("program.mtf", text, settings);
  } catch (const std::exception& error) { return fails("check broken: " + head_of(error.what()), error.what()); }
  for (const Diagnostic& diagnostic : found.list()) {
    if (diagnostic.severity() == Severity::kWarning) continue;
    // The layout decides which dims share an axis, and the drawn statements decide when a value is assigned.
    if (diagnostic.kind() == Kind::axis_used_twice || diagnostic.kind() == Kind::grad_through_assigned)
      return Verdict{Verdict::Kind::kRefused};
    // `precision mixed` decides which branches and assigned values are bf16.
    if (program.mixed &&
        (diagnostic.kind() == Kind::branch_types_differ || diagnostic.kind() == Kind::assign_type_changed))
      return Verdict{Verdict::Kind::kRefused};
    return fails(fmt::format("refused: {}", record(diagnostic.kind()).name), diagnostic.render());
  }
  return std::nullopt;
}

/// Compares the plan of each statement with the counts of the run. `expected` is the output of the reference, for the
/// program without early reads.
std::optional<Verdict> planned_otherwise(const WholeProgram& program, const std::string& text,
                                         const eval::Settings& settings, const WholeOutcome& expected,
                                         const WholeOutcome& run, bool early, bool sharing) {
  if (!early) {
    if (std::string how = output_difference(expected.output, run.output, true, program.mixed); !how.empty())
      return fails("counts differ", how);
    if (std::string how = plan_difference(expected, run); !how.empty()) return fails("plan with reads differs", how);
  }
  if (sharing || program.reads_decide) return std::nullopt;
  const WholeOutcome plan = outcome_of(text, settings, dry_execution());
  if (!plan.broken.empty()) return fails("plan broken: " + head_of(plan.broken), plan.broken);
  if (!plan.error.empty()) return fails("plan ends with: " + kind_of(plan.error), plan.error);
  if (std::string how = plan_difference(plan, run); !how.empty()) return fails("plan differs", how);
  return std::nullopt;
}

}  // namespace

Verdict verdict_at(const WholeProgram& program, const Trial& trial, Checks checks) {
  const std::string text = program.text();
  const eval::Settings settings = settings_of(program, trial.where);
  now_running(to_string(trial) + "\n" + text);
  const std::string tried = text_at(program, trial);
  if (std::optional<Verdict> refused = refusal(program, tried, settings)) return *refused;
  plan::Execution& execution = checks.sharing ? shared_execution() : mtf::properties::execution();
  // All ranks run the program before one of them compares.
  const WholeOutcome run = outcome_of(tried, settings, execution, checks.sharing ? &shared_runtime() : nullptr);
  if (!run.broken.empty()) return fails("broken: " + head_of(run.broken), run.broken);
  if (execution.runtime().rank() != 0) return {};
  // The reference gives the program's output and its cost, with the host's reads of tensors.
  const WholeOutcome expected = outcome_of(text, settings, reference_execution());
  if (!expected.broken.empty()) return fails("reference broken: " + head_of(expected.broken), expected.broken);
  if (expected.output.find("same false\n") != std::string::npos)
    return fails("a loop does not give what it gives written out", expected.output);
  if (kind_of(run.error) != kind_of(expected.error))
    return fails(fmt::format("ends with: {}, not {}", kind_of(run.error), kind_of(expected.error)),
                 fmt::format("expected {}\nfound {}\n", expected.error, run.error));
  if (std::string how = output_difference(expected.output, run.output, false, program.mixed); !how.empty())
    return fails("differs", how);
  const bool one_each = !trial.where.mesh.empty() && processors_of(trial.where.mesh) == execution.runtime().ranks();
  if (checks.sharing && one_each && run.wire != run.sent)
    return fails("wire bytes differ",
                 fmt::format("wire_bytes are {}, {} bytes were handed to MPI\n", run.wire, run.sent));
  if (!run.error.empty()) return {Verdict::Kind::kEnds};
  if (checks.plans)
    if (std::optional<Verdict> wrong =
            planned_otherwise(program, tried, settings, expected, run, trial.early, checks.sharing))
      return *wrong;
  return {};
}

}  // namespace mtf::properties
