#include <unistd.h>

#include <memory>

#include "support/diagnostics.h"
#include "tool/commands/commands.h"
#include "tool/lsp/language_server.h"
#include "tool/shell/launch.h"

namespace mtf::tool {

const Command kLspCommand = {
    .name = "lsp",
    .summary = "Serve an editor: errors, types, layouts and costs while a script is written",
    .details =
        "A server of the Language Server Protocol 3.17 on standard input and output, which an editor starts for files\n"
        "that end in .mtf. It shows what is wrong, what a name is and how it is laid out, what each line sends, and "
        "where\n"
        "a name is bound; it completes, renames and formats. An editor may choose another mesh and layout by the\n"
        "command mtf.assume, the setting mtf, or initializationOptions: {\"mesh\": \"rows:2;cols:2\", \"layout\":\n"
        "\"batch:rows\"}; the file stays as it is. editors/README.md tells how editors are set up.\n"
        "\n"
        "Examples:\n"
        "  mtf lsp\n"
        "  mtf lsp --mesh \"rows:2;cols:2\" --layout \"batch:rows\"\n",
    .declare = [](OptionParser& parser, ProgramOptions& program) -> std::function<int()> {
      add_program_options(parser, program);
      return [&program] {
        if (launch().is_one_of_several())
          fail(Diagnostic(Kind::bad_usage, {}, "`mtf lsp` serves one editor").help("run it without mpirun"));
        return LanguageServer(STDIN_FILENO, STDOUT_FILENO, program).run();
      };
    }};

}  // namespace mtf::tool
