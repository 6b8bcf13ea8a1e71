#include <filesystem>
#include <memory>
#include <set>

#include "support/diagnostics.h"
#include "tool/commands/commands.h"
#include "tool/present/losses.h"
#include "tool/present/picture.h"
#include "tool/shell/generated_file.h"
#include "tool/shell/output.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

struct CurveOptions {
  std::vector<std::string> files;
  std::string svg;
  CurveQuestion question;
  bool is_log = false;
};

/// Returns short names of files that differ: without folders and endings if that suffices.
std::vector<std::string> names_of_runs(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  std::set<std::string> different;
  for (const std::string& file : files) {
    names.push_back(std::filesystem::path(file).stem().string());
    different.insert(names.back());
  }
  return different.size() == files.size() ? names : files;
}

int draw_curves(const CurveOptions& options) {
  if (!options.svg.empty())
    expect_replaceable(options.svg, "a curve of losses",
                       [](const std::string& text) { return is_svg_of("loss-curve", text); });
  std::vector<Curves> runs;
  for (const std::string& file : options.files) {
    const Script text = read_script(file);
    runs.push_back(curves_of_file(text.name, text.text, options.question));
  }
  Curves curves = joined_runs(std::move(runs), names_of_runs(options.files));
  curves.is_log = options.is_log;
  if (!options.svg.empty())
    replace_file(options.svg, curve_svg(curves, options.files.size() == 1 ? options.files[0] : "losses"));
  else if (const std::string text = plot(curves, 80, 20); !text.empty()) write_output(text);
  else write_output("there is no loss\n");
  return 0;
}

}  // namespace

const Command kCurveCommand = {
    .name = "curve",
    .summary = "Draw the losses of logs, or of what programs printed, in characters or as SVG",
    .details =
        "A file is a log of `logs.jsonl` or `logs.csv`, or the output of a program, where a loss is a number behind a "
        "word\n"
        "that ends in `loss`. Each name has its curve: `train_loss`, `valid loss`. Of a log, the fields with `loss` in "
        "their\n"
        "names are drawn, or all numbers if there is none. Steps are on x, or else epochs. Several files are several "
        "runs in\n"
        "one picture: each run has a colour, each name its dashes.\n"
        "\n"
        "Examples:\n"
        "  mtf curve losses.jsonl\n"
        "  mtf curve first/log.csv second/log.csv --svg losses.svg --log\n"
        "  mtf run train.mtf | mtf curve -\n"
        "  mtf curve log.csv --by epoch --field valid_loss --field accuracy\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      auto options = std::make_shared<CurveOptions>();
      parser.words("file", options->files, "Logs, or outputs of programs; - for standard input", true);
      parser.text("--svg", options->svg, "FILE", "Write SVG instead");
      parser.text("--by", options->question.x, "FIELD", "The field on x: step, epoch, or another one of a log");
      parser.texts("--field", options->question.fields, "FIELD", "A field of a log to draw; repeatable");
      parser.flag("--log", options->is_log, "Losses on a logarithmic scale");
      return [options] { return draw_curves(*options); };
    }};

}  // namespace mtf::tool
