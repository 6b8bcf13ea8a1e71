#include <algorithm>
#include <memory>

#include "plan/compilation.h"
#include "run/dry_runtime.h"
#include "session/parts_of_text.h"
#include "session/session.h"
#include "support/printable.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "syntax/print.h"
#include "syntax/resolver.h"
#include "tool/commands/commands.h"
#include "tool/present/plan_text.h"
#include "tool/present/table.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/script.h"
#include "types/text_reader.h"

namespace mtf::tool {
namespace {

struct TraceOptions {
  std::string file;
  std::string from;
  std::optional<std::string> stage;
  bool passes = false;
};

/// Returns the values of `--stage`: forms of a program, and passes.
std::vector<std::string> stages() {
  std::vector<std::string> names = {"ast", "names", "types", "ir", "decisions", "spmd", "schedule"};
  for (const plan::Pass& pass : plan::passes()) names.emplace_back(pass.name);
  return names;
}

// One row for each pass, in the order in which they run. Passes of schedules have the peak before and after them.
std::string times_text(const plan::PassTimes& times) {
  double all = 0;
  for (const plan::PassTime& time : times) all += time.microseconds;
  Table table("rrrrrll");
  table.row({"share", "time", "plans", "peak before", "after", "pass", ""});
  for (size_t i = 0; i < plan::passes().size(); ++i) {
    const plan::PassTime time = i < times.size() ? times[i] : plan::PassTime();
    const double share = all > 0 ? 100 * time.microseconds / all : 0;
    const bool has_peak = plan::passes()[i].takes == plan::Stage::kSchedule;
    table.row({fmt::format("{:.1f} %", share), fmt::format("{:.2f} ms", time.microseconds / 1000),
               std::to_string(time.runs), has_peak ? bytes_text(time.peak_before) : "",
               has_peak ? bytes_text(time.peak_after) : "", std::string(plan::passes()[i].name),
               std::string(plan::passes()[i].sentence)});
  }
  return table.text();
}

// The line above the program of a cut: `# two_layer.mtf:23: if step % 50 == 0 { … }`.
std::string heading(Span span) {
  if (!span.is_known()) return "# at the end\n";
  const std::size_t line = span.position().line;
  return fmt::format("# {}:{}: {}\n", printable(span.file->name()), line, trim(span.file->line(line)));
}

// The position where a name was bound: `from 3:5`, `from nn.mtf:12:4`.
std::string origin(const eval::SpanInfo& part) {
  if (!part.definition.is_known()) return "";
  const Position at = part.definition.position();
  const std::string file = part.definition.file->name() == part.span.file->name()
                               ? ""
                               : std::string(printable(part.definition.file->name())) + ":";
  return fmt::format("from {}{}:{}", file, at.line, at.column);
}

std::string cost_text(const eval::SpanInfo& part) {
  if (!part.has_cost) return "";
  std::string text = count_text(part.flops, "flop");
  if (part.collectives > 0)
    text += fmt::format(", {}, {}", count_text(part.collectives, "collective"), bytes_text(part.bytes));
  return text;
}

// A part of the program on one line, shortened if it is long.
std::string excerpt(std::string_view text) {
  constexpr std::size_t kMost = 32;
  const std::size_t end = text.find('\n');
  std::string line(text.substr(0, end));
  if (end == std::string_view::npos && count_code_points(line) <= kMost) return line;
  std::size_t cut = 0;
  for (std::size_t letters = 0; cut < line.size(); ++cut) {
    const bool starts_letter = (static_cast<unsigned char>(line[cut]) & 0xc0) != 0x80;
    if (starts_letter && ++letters > kMost) break;
  }
  return line.substr(0, cut) + " …";
}

// One line for each part of the program with a known type or cost, except literals.
std::string types_text(const eval::SpanTable& table, const std::string& file) {
  Table lines("llll");
  for (const eval::SpanInfo& part : table.of(file)) {
    if (part.is_literal || (part.types.empty() && !part.has_cost)) continue;
    std::vector<std::string> types;
    for (const eval::ValueType& type : part.types) types.push_back(to_string(type));
    const Position at = part.span.position();
    std::string more = origin(part);
    if (const std::string cost = cost_text(part); !cost.empty()) more += (more.empty() ? "" : ", ") + cost;
    lines.row({fmt::format("{}:{}", at.line, at.column), printable(excerpt(part.span.text())),
               printable(join(types, " or ")), more});
  }
  return lines.text() + estimate_note(table.doubts());
}

/// Returns the last pass of a stage, or null if the stage is not between passes.
const plan::Pass* last_pass_of(const std::string& stage) {
  if (stage == "spmd") return plan::find_pass("choose_orders");
  return stage == "schedule" ? &plan::passes().back() : plan::find_pass(stage);
}

/// Reads the programs that a stage printed, and prints each after the passes up to `stage`.
int trace_from(const std::string& from, const std::string& stage) {
  const plan::Pass* const last = last_pass_of(stage);
  if (!last)
    fail(Kind::bad_option_value, {},
         "--stage {}: a program that is read back has no such stage: expected spmd, schedule or a pass", stage);
  const Script script = read_script(from);
  const auto file = SourceFile::create(script.name, script.text);
  TextReader reader(*file);
  const plan::PassOptions passes;
  if (!reader.next_line()) reader.fail("`captured` or `after` and the name of a pass");
  bool first = true;
  do {
    const Span place = reader.line();
    plan::Compilation compilation = plan::Compilation::read(reader, passes);
    if (const plan::Pass* const latest = compilation.latest(); latest && latest > last)
      fail(Diagnostic(Kind::bad_option_value, place,
                      fmt::format("--stage {}: this program is after {}, which comes later", stage, latest->name)));
    compilation.run(last->name);
    write_output("{}{}", std::exchange(first, false) ? "" : "\n", to_string(compilation));
  } while (reader.next_line());
  return 0;
}

int trace(const TraceOptions& options, const ProgramOptions& program) {
  const std::vector<std::string> names = stages();
  const std::string stage = options.stage.value_or(options.from.empty() ? "ir" : "schedule");
  if (std::find(names.begin(), names.end(), stage) == names.end()) {
    const std::string near = did_you_mean(stage, names);
    const std::string wrong = fmt::format("--stage {}: expected {}", stage, join_words(names, "or"));
    fail(Diagnostic(Kind::bad_option_value, {}, wrong).help(near));
  }
  if (!options.from.empty()) return launch().rank == 0 ? trace_from(options.from, stage) : 0;
  if (options.file.empty())
    fail(Diagnostic(Kind::bad_usage, {}, "trace: the script is missing")
             .help("name it, or give a program's text with --from"));
  const bool is_text = stage == "ast" || stage == "names";
  if (is_text && (program.mesh || program.layout || !program.set.empty() || program.placement || program.threads != 0))
    fail(Diagnostic(Kind::bad_usage, {}, "the script as it was read has no mesh, layout or options")
             .help("leave them out, or ask for another stage"));
  const eval::Settings settings = settings_of(program, launch().ranks);
  const Script script = read_script(options.file);
  if (is_text) {
    const ast::Program read = syntax::parse_or_throw(SourceFile::create(script.name, script.text));
    if (launch().rank == 0) write_output(stage == "ast" ? syntax::print(read) : ast::text_of_facts(read));
    return 0;
  }
  const Diagnostics found = session::Session::check_text(script.name, script.text, settings);
  if (!found.empty()) report(found);
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  if (launch().rank != 0) return 0;
  run::DryRuntime runtime;
  if (stage == "types") {
    write_output(types_text(session::parts_of_text(script.name, script.text, settings, &runtime), script.name));
    return 0;
  }

  plan::Execution execution(runtime, {.peaks_of_passes = options.passes});
  std::ostream nowhere(nullptr);
  session::Session session(settings, &execution, nowhere);
  if (options.passes) {
    session.run_text(script.name, script.text);
    write_output(times_text(execution.pass_times()));
    return 0;
  }
  bool first = true;
  session.on_cut([&](Span span) {
    const std::string text = execution.last_text(stage);
    if (text.empty()) return;
    write_output("{}{}{}{}", std::exchange(first, false) ? "" : "\n", heading(span), text,
                 text.ends_with('\n') ? "" : "\n");
  });
  session.run_text(script.name, script.text);
  return 0;
}

std::string_view details() {
  static const std::string text = [] {
    Table list("ll");
    for (const plan::Pass& pass : plan::passes()) list.row({std::string(pass.name), std::string(pass.sentence)});
    return "Stages:\n"
           "  ast       the script as it was read\n"
           "  names     what each block binds, reads, assigns and calls, and what each function captures from around "
           "it\n"
           "  types     each name and expression with its type and layout, where the name was bound, and what a "
           "processor\n"
           "            does there: an expression's own work, a statement's in all, turns included\n"
           "  ir        the global graph of each cut as captured: whole tensors, with their layouts\n"
           "  decisions what `split` decides for each operation: how it is split, how its operands are resharded, "
           "which\n"
           "            sums stay partial and why; leaves out operations that only rename their operands\n"
           "  spmd      one processor's program: blocks, and the collectives that move them\n"
           "  schedule  its steps in order, with loops joined and buffers assigned\n"
           "Each pass between `ir` and `schedule` is a stage too, the program after it. In their order:\n" +
           list.text("  ") +
           "A cut is a place where values must be there: a print, an assert, a condition, a turn of a loop.\n"
           "Nothing is computed; names are the script's.\n"
           "What a stage from `ir` to `schedule` prints can be read back: --from FILE prints each program\n"
           "of that file after the passes that follow, up to --stage. The first line of a program says\n"
           "where it is: `captured`, or `after split`.\n"
           "\n"
           "Examples:\n"
           "  mtf trace two_layer.mtf --stage spmd\n"
           "  mtf trace two_layer.mtf --stage fuse_loops --mesh \"all:4\" --layout \"batch:all\"\n"
           "  mtf trace two_layer.mtf --passes\n"
           "  mtf trace two_layer.mtf --stage split > split.txt; mtf trace --from split.txt --stage fuse_loops\n";
  }();
  return text;
}

}  // namespace

const Command kTraceCommand = {
    .name = "trace",
    .summary = "Print the program at one of its stages, or time the passes between them",
    .details = details(),
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<TraceOptions>();
      parser.word("file", options->file, "The script, or - for standard input", false);
      parser.text("--stage", options->stage, "STAGE",
                  "ast, names, types, ir, decisions, spmd, schedule or a pass (default: ir; of --from: schedule)");
      parser.text("--from", options->from, "FILE",
                  "Instead of a script: what a stage printed, or - for standard input");
      parser.flag("--passes", options->passes,
                  "How long each pass took, over all plans, and the peak before and after it");
      parser.excludes("--passes", {"--stage"}, "ask for one after the other");
      parser.excludes("--from", {"file", "--passes", "--mesh", "--layout", "--set", "--placement"},
                      "a program that was captured has its mesh and layouts");
      add_program_options(parser, program);
      add_placement_option(parser, program);
      add_memory_option(parser, program);
      return [options, &program] { return trace(*options, program); };
    }};

}  // namespace mtf::tool
