#include <memory>

#include "tool/commands/commands.h"
#include "tool/commands/editor_words.h"

namespace mtf::tool {
namespace {

struct EditorsOptions {
  std::string write, check;
};

}  // namespace

const Command kEditorsCommand = {
    .name = "editors",
    .summary = "Bring the word lists of the editors' packages up to date",
    .details =
        "Examples:\n"
        "  mtf editors --write editors      rewrites the words in editors/vscode, vim and emacs\n"
        "  mtf editors --check editors      exit status 1 if they are not current\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      auto options = std::make_shared<EditorsOptions>();
      parser.text("--write", options->write, "DIR", "Rewrite the files below this folder");
      parser.text("--check", options->check, "DIR", "Compare with the files below this folder");
      parser.excludes("--write", {"--check"});
      return [options] {
        const std::string folder = options->write.empty() ? options->check : options->write;
        const auto files = folder.empty() ? std::vector<GeneratedFile>() : editor_files(folder, editor_words());
        return deliver(files, false, options->write, options->check);
      };
    }};

}  // namespace mtf::tool
