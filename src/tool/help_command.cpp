#include <memory>

#include "tool/commands.h"
#include "tool/help_topics.h"
#include "tool/output.h"

namespace mtf::tool {

const Command kHelpCommand = {
    .name = "help",
    .summary = "Explain a command, an operation, a module, a word of the language, an error",
    .details =
        "Without a name, the list of commands; `mtf help operations` lists the operations, `mtf help language` the words and\n"
        "signs, `mtf help errors` the kinds of errors.\n"
        "\n"
        "Examples:\n"
        "  mtf help run\n"
        "  mtf help einsum\n"
        "  mtf help nn.Dense\n"
        "  mtf help for\n"
        "  mtf help axis_used_twice\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      auto topic = std::make_shared<std::string>();
      parser.word("name", *topic, "A command, an operation, a module, MODULE.NAME, a word, a kind of error", false);
      return [topic] {
        if (topic->empty()) write_output(overview());
        else if (*topic == "operations") write_output(list_of_operations());
        else if (*topic == "language") write_output(list_of_words());
        else if (*topic == "errors") write_output(list_of_errors());
        else if (const Command* command = find_command(*topic)) write_output(help_of(*command));
        else write_output(help_on(*topic, command_names()));
        return 0;
      };
    }};

}  // namespace mtf::tool
