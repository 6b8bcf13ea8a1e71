#include <memory>

#include "support/diagnostics.h"
#include "tool/commands/commands.h"
#include "tool/commands/reference.h"
#include "tool/shell/generated_file.h"
#include "tool/site/site.h"

namespace mtf::tool {
namespace {

struct ReferenceOptions {
  bool to_stdout = false;
  std::string write, check, html, examples;
};

/// Writes the site to a folder.
int write_site(const ReferenceOptions& options) {
  const std::string examples = options.examples.empty() ? folder_of_examples() : options.examples;
  if (examples.empty())
    fail(Diagnostic(Kind::file_not_found, {}, "the folder of the tour and the examples")
             .help("`--examples DIR` names it: examples/ of the source, or /usr/share/doc/mtf/examples"));
  write_files(options.html, site_files(examples));
  return 0;
}

}  // namespace

const Command kReferenceCommand = {
    .name = "reference",
    .summary = "Write the reference of operations and standard modules",
    .details =
        "--html writes a site, which needs no server: the tour, the language, the reference, the errors, the prompt, "
        "the\n"
        "commands, the examples with what they print, and a search. Names in programs show their types.\n"
        "\n"
        "Examples:\n"
        "  mtf reference --stdout\n"
        "  mtf reference --write stdlib      writes stdlib/REFERENCE.md\n"
        "  mtf reference --check stdlib      exit status 1 if it is not current\n"
        "  mtf reference --html site         then open site/index.html in a browser\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      auto options = std::make_shared<ReferenceOptions>();
      parser.flag("--stdout", options->to_stdout, "Print it");
      parser.text("--write", options->write, "DIR", "Write REFERENCE.md to this folder");
      parser.text("--check", options->check, "DIR", "Compare with REFERENCE.md in this folder");
      parser.text("--html", options->html, "DIR", "Write a site of all documentation to this folder");
      parser.text("--examples", options->examples, "DIR",
                  "With --html: the folder of the tour and the examples (default: the installed one)");
      parser.excludes("--stdout", {"--write", "--check", "--html"});
      parser.excludes("--write", {"--check", "--html"});
      parser.excludes("--check", {"--html"});
      parser.needs("--examples", {"--html"});
      return [options] {
        if (!options->html.empty()) return write_site(*options);
        return deliver({{"REFERENCE.md", reference_text()}}, options->to_stdout, options->write, options->check);
      };
    }};

}  // namespace mtf::tool
