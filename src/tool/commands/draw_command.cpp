#include <memory>

#include "support/diagnostics.h"
#include "tool/commands/commands.h"
#include "tool/present/picture.h"
#include "tool/shell/generated_file.h"
#include "tool/shell/output.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

struct DrawOptions {
  std::string file, svg;
  std::vector<std::string> what;
};

int draw(const DrawOptions& options, const ProgramOptions& program) {
  if (!options.svg.empty())
    expect_replaceable(options.svg, "a picture of tensors",
                       [](const std::string& text) { return is_svg_of("tensors", text); });
  const std::vector<Picture> pictures = pictures_of(read_script(options.file), settings_of(program, 1), options.what);
  if (options.svg.empty()) write_output(text_of(pictures, 100));
  else replace_file(options.svg, svg_of(pictures));
  return 0;
}

}  // namespace

const Command kDrawCommand = {
    .name = "draw",
    .summary = "Draw tensors as the tiles that processors hold, in characters or as SVG",
    .details =
        "Each tensor is drawn to scale as the tiles that its layout cuts it into, with the numbers of the processors "
        "that\n"
        "hold each; of more than two dims, a matrix for each block of those before the last two. Nothing is computed.\n"
        "WHAT is an expression in the names that the script leaves behind; of a model, all its params are drawn.\n"
        "\n"
        "Examples:\n"
        "  mtf draw two_layer.mtf x net\n"
        "  mtf draw two_layer.mtf x net.w \"net(x)\" --svg layers.svg --mesh \"rows:4;cols:2\"\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      auto options = std::make_shared<DrawOptions>();
      parser.word("file", options->file, "The script, or - for standard input", true);
      parser.words("what", options->what, "Tensors and models: expressions", true);
      parser.text("--svg", options->svg, "FILE", "Write SVG instead");
      add_program_options(parser, program);
      return [options, &program] { return draw(*options, program); };
    }};

}  // namespace mtf::tool
