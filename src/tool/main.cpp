#include "tool/commands.h"

/// Read by jemalloc, where the command is built with it: memory in large pages. A program of many operations is many small
/// things in much memory, and the processor spends half its time on finding the pages that they lie in.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always";
}

int main(int count, char** words) { return mtf::tool::run_command_line(count, words); }
