#include "tool/commands/commands.h"

int main(int count, char** words) { return mtf::tool::run_command_line(count, words); }
