#include <memory>

#include "tool/commands/commands.h"
#include "tool/commands/reference.h"
#include "tool/shell/generated_file.h"

namespace mtf::tool {
namespace {

struct ReferenceOptions {
  bool to_stdout = false;
  std::string write, check;
};

}  // namespace

const Command kReferenceCommand = {
    .name = "reference",
    .summary = "Write the reference of operations and standard modules",
    .details =
        "Examples:\n"
        "  mtf reference --stdout\n"
        "  mtf reference --write stdlib      writes stdlib/REFERENCE.md\n"
        "  mtf reference --check stdlib      exit status 1 if it is not current\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      auto options = std::make_shared<ReferenceOptions>();
      parser.flag("--stdout", options->to_stdout, "Print it");
      parser.text("--write", options->write, "DIR", "Write REFERENCE.md to this folder");
      parser.text("--check", options->check, "DIR", "Compare with REFERENCE.md in this folder");
      parser.excludes("--stdout", {"--write", "--check"});
      parser.excludes("--write", {"--check"});
      return [options] {
        return deliver({{"REFERENCE.md", reference_text()}}, options->to_stdout, options->write, options->check);
      };
    }};

}  // namespace mtf::tool
