#include "whole_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "compare.h"
#include "eval/session.h"
#include "generator.h"
#include "random_program.h"

namespace mtf::properties {
namespace {

/// What two ways of computing a printed number may differ by: absolutely, and for each unit of the line's largest number.
/// Six digits are printed, of f32 numbers on which some tens of operations have left their rounding.
constexpr double kAbsolute = 3e-5, kScaled = 1e-4;

const char kEarly[] = "assert sum(fill([], 1, i32)) == 1";

Settings settings_of(const WholeProgram& program, const Where& where) {
  Settings settings;
  if (!where.mesh.empty()) {
    settings.mesh = parse_axes(where.mesh);
    settings.layout = parse_layout_rules(where.layout);
  }
  settings.set = program.set;
  settings.stdlib = MTF_STDLIB_DIR;
  return settings;
}

std::string line_of(const Diagnostic& diagnostic) {
  const std::string rendered = diagnostic.render();
  const size_t arrow = rendered.find("--> "), end = rendered.find('\n', arrow);
  const std::string place = arrow == std::string::npos ? "" : rendered.substr(arrow + 4, end - arrow - 4);
  return fmt::format("{} at {}: {}", record(diagnostic.kind()).name, place, diagnostic.label());
}

std::string kind_of(const std::string& error) { return error.substr(0, error.find(' ')); }

WholeOutcome outcome_of(const std::string& text, const Settings& settings, Engine& engine) {
  WholeOutcome outcome;
  std::ostringstream out;
  engine.restart_peak();
  try {
    Session session(settings, &engine, out);
    session.on_statement([&](const StatementReport& report) {
      const int64_t line = static_cast<int64_t>(report.span.file->line_of(report.span.begin));
      if (outcome.statements.empty() || outcome.statements.back().line != line) outcome.statements.push_back({line, report.text, {}});
      Counters& sum = outcome.statements.back().counters;
      const int64_t turns = std::max<int64_t>(report.turns, 1);
      sum.flops += turns * report.counters.flops;
      sum.unique_flops += turns * report.counters.unique_flops;
      sum.peak_bytes = std::max(sum.peak_bytes, report.counters.peak_bytes);
      for (int k = 0; k < kCollectiveKinds; ++k)
        for (const auto& [axes, count] : report.counters.collectives[k])
          for (int64_t turn = 0; turn < turns; ++turn) sum.collectives[k][axes] += count;
    });
    session.run_text("program.mtf", text);
  } catch (const UserError& error) {
    outcome.error = line_of(error.diagnostic());
  } catch (const std::exception& error) {
    outcome.broken = error.what();
  }
  outcome.output = out.str();
  return outcome;
}

Statements with_early_reads(const Statements& statements) {
  Statements result;
  for (const Statement& statement : statements) {
    result.push_back(statement);
    Statement& copy = result.back();
    const bool of_model = copy.text.starts_with("model ");
    if (of_model) {
      for (Statement& part : *copy.body)
        if (part.body) part.body = with_early_reads(*part.body);
      continue;
    }
    if (copy.body) copy.body = with_early_reads(*copy.body);
    if (!copy.otherwise.empty()) copy.otherwise = with_early_reads(copy.otherwise);
    const bool ends_block = copy.text.starts_with("return") || copy.text == "break" || copy.text == "continue";
    if (ends_block) result.insert(result.end() - 1, Statement{kEarly, {}, {}, {}});
    else if (!copy.text.starts_with("dim ") && !copy.text.starts_with("option ")) result.push_back({kEarly, {}, {}, {}});
  }
  return result;
}

/// The first words of an internal error, which name the check.
std::string head_of(const std::string& message) {
  const std::string line = message.substr(0, message.find('\n'));
  return line.substr(0, 160);
}

struct Word {
  std::string text;
  bool number = false;
  double value = 0;
};

std::vector<Word> words_of(const std::string& line) {
  std::vector<Word> words;
  for (size_t i = 0; i < line.size();) {
    const char c = line[i];
    const bool sign = c == '-' && i + 1 < line.size() && (std::isdigit(static_cast<unsigned char>(line[i + 1])) || line[i + 1] == 'i' || line[i + 1] == 'n');
    const bool starts = i == 0 || line[i - 1] == ' ' || line[i - 1] == '[';
    if (starts && (sign || std::isdigit(static_cast<unsigned char>(c)) || line.compare(i, 3, "inf") == 0 || line.compare(i, 3, "nan") == 0)) {
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

/// True if two lines `f …` differ by no more than rounding.
bool close(const std::string& a, const std::string& b) {
  const std::vector<Word> expected = words_of(a), found = words_of(b);
  if (expected.size() != found.size()) return false;
  double largest = 0;
  for (const Word& word : expected)
    if (word.number && std::isfinite(word.value)) largest = std::max(largest, std::abs(word.value));
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].number != found[i].number) return false;
    if (!expected[i].number && expected[i].text != found[i].text) return false;
    if (!expected[i].number || expected[i].text == found[i].text) continue;
    if (!(std::abs(expected[i].value - found[i].value) <= kAbsolute + kScaled * largest)) return false;
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

std::string plan_difference(const WholeOutcome& plan, const WholeOutcome& run) {
  auto nothing = [](const Counters& counters) {
    bool none = counters.flops == 0;
    for (const auto& kind : counters.collectives) none = none && kind.empty();
    return none;
  };
  auto of = [&](const WholeOutcome& outcome, int64_t line) {
    for (const auto& each : outcome.statements)
      if (each.line == line) return each.counters;
    return Counters{};
  };
  std::string text;
  for (const auto& each : run.statements) {
    const Counters planned = of(plan, each.line);
    if (nothing(planned) && nothing(each.counters)) continue;
    const std::string how = counter_difference(planned, each.counters);
    if (!how.empty()) text += fmt::format(" line {}, {}\n{}", each.line, each.text, how);
  }
  for (const auto& each : plan.statements) {
    const bool both = std::any_of(run.statements.begin(), run.statements.end(), [&](const auto& other) { return other.line == each.line; });
    if (!both && !nothing(each.counters)) text += fmt::format(" line {}, {}\n  is planned and not run\n", each.line, each.text);
  }
  return text;
}

}  // namespace

std::string to_string(const Trial& trial) { return to_string(trial.where) + (trial.early ? ", read early" : ""); }

std::string text_at(const WholeProgram& program, const Trial& trial) {
  return to_string(trial.early ? with_early_reads(program.statements) : program.statements);
}

std::vector<Trial> trials_of(const WholeProgram& program) {
  Dice dice(program.seed + 77);
  std::vector<Trial> trials;
  if (program.own_meshes) trials.push_back({{""}, false});
  const std::vector<std::string> meshes = program.own_meshes ? std::vector<std::string>{"r:2;c:2", "r:2;c:3", "r:3;c:1", "r:1;c:2"}
                                                              : std::vector<std::string>{"p:2", "p:3", "p:4", "r:2;c:2", "r:2;c:3"};
  while (trials.size() < 3) {
    Trial trial;
    trial.where.mesh = dice.pick(meshes);
    trial.where.layout = random_layout(static_cast<uint64_t>(dice.below(1 << 30)), program.dims, trial.where.mesh);
    trial.early = dice.chance(30);
    trials.push_back(trial);
  }
  return trials;
}

std::string output_difference(const std::string& expected, const std::string& found, bool counts) {
  const std::vector<std::string> a = lines_of(expected, counts), b = lines_of(found, counts);
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string x = i < a.size() ? a[i] : "(nothing more)", y = i < b.size() ? b[i] : "(nothing more)";
    if (x == y || (x.starts_with("f ") && y.starts_with("f ") && close(x, y))) continue;
    return fmt::format("line {} of the output\n  expected {}\n  found    {}\n", i + 1, x, y);
  }
  return {};
}

std::optional<Failure> failure_at(const WholeProgram& program, const Trial& trial, Checks checks) {
  const std::string text = program.text();
  const Settings settings = settings_of(program, trial.where);
  now_running(to_string(trial) + "\n" + text);
  const std::string tried = text_at(program, trial);
  Diagnostics found;
  try {
    found = Session::check_text("program.mtf", tried, settings);
  } catch (const std::exception& error) {
    return Failure{"check broken: " + head_of(error.what()), error.what()};
  }
  for (const Diagnostic& diagnostic : found.list()) {
    if (diagnostic.severity() == Severity::kWarning) continue;
    // Which dims share an axis is the layout's affair, and what was assigned when depends on what was drawn.
    if (diagnostic.kind() == Kind::axis_used_twice || diagnostic.kind() == Kind::grad_through_assigned) return std::nullopt;
    return Failure{fmt::format("refused: {}", record(diagnostic.kind()).name), diagnostic.render()};
  }
  // What the program means, and what it costs there, with what the host read of tensors.
  const WholeOutcome expected = outcome_of(text, settings, reference_engine());
  if (!expected.broken.empty()) return Failure{"reference broken: " + head_of(expected.broken), expected.broken};
  const WholeOutcome run = outcome_of(tried, settings, checks.sharing ? shared_engine() : engine());
  if (!run.broken.empty()) return Failure{"broken: " + head_of(run.broken), run.broken};
  if (kind_of(run.error) != kind_of(expected.error))
    return Failure{fmt::format("ends with: {}, not {}", kind_of(run.error), kind_of(expected.error)), fmt::format("expected {}\nfound {}\n", expected.error, run.error)};
  if (checks.sharing && shared_engine().rank() != 0) return std::nullopt;
  const bool counts = checks.plans && !trial.early;
  if (std::string how = output_difference(expected.output, run.output, false); !how.empty()) return Failure{"differs", how};
  if (!counts || !run.error.empty()) return std::nullopt;
  if (std::string how = output_difference(expected.output, run.output, true); !how.empty()) return Failure{"counts differ", how};
  if (std::string how = plan_difference(expected, run); !how.empty()) return Failure{"plan with reads differs", how};
  if (checks.sharing || program.reads_decide) return std::nullopt;
  const WholeOutcome plan = outcome_of(tried, settings, dry_engine());
  if (!plan.broken.empty()) return Failure{"plan broken: " + head_of(plan.broken), plan.broken};
  if (!plan.error.empty()) return Failure{"plan ends with: " + kind_of(plan.error), plan.error};
  if (std::string how = plan_difference(plan, run); !how.empty()) return Failure{"plan differs", how};
  return std::nullopt;
}

}  // namespace mtf::properties
