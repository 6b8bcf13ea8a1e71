#include <memory>

#include "support/text.h"
#include "tool/commands/commands.h"
#include "tool/commands/help_text.h"
#include "tool/present/fitted_text.h"
#include "tool/shell/output.h"

namespace mtf::tool {

const Command kHelpCommand = {
    .name = "help",
    .summary = "Explain a command, an operation, a module, a word of the language, an error",
    .details =
        "Without a name, the list of commands; `mtf help operations` lists the operations, `mtf help language` the "
        "words and\n"
        "signs, `mtf help errors` the kinds of errors, `mtf help machines` those that `--machine` knows by name,\n"
        "`mtf help planning` how to plan a training run, `mtf help ranks` how to run on several machines.\n"
        "\n"
        "Examples:\n"
        "  mtf help run\n"
        "  mtf help einsum\n"
        "  mtf help nn.Dense\n"
        "  mtf help for\n"
        "  mtf help axis_used_twice\n"
        "  mtf help learning rate\n"
        "  mtf help -k checkpoint\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      struct Asked {
        std::vector<std::string> words;
        bool all = false;
      };
      auto asked = std::make_shared<Asked>();
      parser.words("name", asked->words, "A command, an operation, a module, MODULE.NAME, a word, a kind of error",
                   false);
      parser.flag("-k,--keyword", asked->all, "List what mentions all of the words");
      return [asked] {
        const std::size_t width = terminal_columns(kPageWidth);
        const std::string topic = join(asked->words, " ");
        if (asked->all) write_output(list_of_mentions(asked->words, width));
        else if (topic.empty()) write_output(fitted(overview(), width));
        else if (topic == "operations") write_output(list_of_operations(width));
        else if (topic == "language") write_output(list_of_words(width));
        else if (topic == "errors") write_output(list_of_errors(width));
        else if (topic == "machines") write_output(list_of_machines(width));
        else if (topic == "planning") write_output(library_page("PLANNING.md", width));
        else if (topic == "ranks" || topic == "mpirun") write_output(library_page("RANKS.md", width));
        else if (const Command* command = find_command(topic)) write_output(fitted(help_of(*command), width));
        else write_output(help_text(topic, width));
        return 0;
      };
    }};

}  // namespace mtf::tool
