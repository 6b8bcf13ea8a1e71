#include <memory>

#include "eval/session.h"
#include "exec/engine.h"
#include "support/printable.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "syntax/print.h"
#include "tool/commands.h"
#include "tool/launch.h"
#include "tool/output.h"
#include "tool/script.h"

namespace mtf::tool {
namespace {

struct Options {
  std::string file;
  std::string stage = "ir";
};

const std::vector<std::string> kStages = {"ast", "ir", "spmd", "schedule"};

// `# two_layer.mtf:23: if step % 50 == 0 { … }`, what stands above the program of a cut.
std::string heading(Span span) {
  if (!span.is_known()) return "# at the end\n";
  const std::size_t line = span.position().line;
  return fmt::format("# {}:{}: {}\n", printable(span.file->name()), line, trim(span.file->line(line)));
}

int trace(const Options& options, const ProgramOptions& program) {
  if (std::find(kStages.begin(), kStages.end(), options.stage) == kStages.end()) {
    const std::string near = did_you_mean(options.stage, kStages);
    fail(Diagnostic(Kind::bad_option_value, {}, fmt::format("--stage {}: expected {}", options.stage, join_words(kStages, "or"))).help(near));
  }
  const Settings settings = settings_of(program, launch().ranks);
  EngineOptions engine_options = engine_options_of(program);
  engine_options.dry = true;
  const Script script = read_script(options.file);
  if (options.stage == "ast") {
    if (launch().rank == 0) write_output(print(parse_or_throw(SourceFile::create(script.name, script.text))));
    return 0;
  }
  const Diagnostics found = Session::check_text(script.name, script.text, settings);
  if (!found.empty()) report(found);
  if (found.has_errors()) return static_cast<int>(found.exit_code());
  if (launch().rank != 0) return 0;

  Engine engine(engine_options);
  std::ostream nowhere(nullptr);
  Session session(settings, &engine, nowhere);
  bool first = true;
  session.on_cut([&](Span span) {
    const std::string text = engine.last_text(options.stage);
    if (text.empty()) return;
    write_output("{}{}{}{}", std::exchange(first, false) ? "" : "\n", heading(span), text, text.ends_with('\n') ? "" : "\n");
  });
  session.run_text(script.name, script.text);
  return 0;
}

}  // namespace

const Command kTraceCommand = {
    .name = "trace",
    .summary = "Print the program at one of its stages",
    .details =
        "Stages:\n"
        "  ast       the script as it was read\n"
        "  ir        the global graph of each cut: whole tensors, with their layouts\n"
        "  spmd      one processor's program: blocks, and the collectives that move them\n"
        "  schedule  its steps in order, with loops joined and buffers assigned\n"
        "A cut is a place where values must be there: a print, an assert, a condition, a turn of a loop.\n"
        "Nothing is computed; names are the script's.\n"
        "\n"
        "Examples:\n"
        "  mtf trace two_layer.mtf --stage spmd\n"
        "  mtf trace two_layer.mtf --stage schedule --mesh \"all:4\" --layout \"batch:all\"\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.text("--stage", options->stage, "STAGE", "ast, ir, spmd or schedule (default: ir)");
      add_program_options(parser, program);
      add_engine_options(parser, program);
      return [options, &program] { return trace(*options, program); };
    }};

}  // namespace mtf::tool
