#include <memory>

#include "tool/commands.h"
#include "tool/help_topics.h"

namespace mtf::tool {

const Command kHelpCommand = {
    .name = "help",
    .summary = "Explain a command, an operation, a standard module or what is in it",
    .details =
        "Without a name, the list of commands; `mtf help operations` lists the operations.\n"
        "\n"
        "Examples:\n"
        "  mtf help run\n"
        "  mtf help einsum\n"
        "  mtf help nn.Dense\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      auto topic = std::make_shared<std::string>();
      parser.word("name", *topic, "A command, an operation, a module, or MODULE.NAME", false);
      return [topic] {
        if (topic->empty()) fmt::print("{}", overview());
        else if (*topic == "operations") fmt::print("{}", list_of_operations());
        else if (const Command* command = find_command(*topic)) fmt::print("{}", help_of(*command));
        else fmt::print("{}", help_on(*topic, command_names()));
        return 0;
      };
    }};

}  // namespace mtf::tool
