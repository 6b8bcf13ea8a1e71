// The allocator of the command. Tests and benchmarks use it too, so that they measure the same as the command.

/// Read by jemalloc, if it is linked: allocates memory in large pages. A program with many operations has many small
/// objects in much memory, and with small pages the processor spends half its time in address translation.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always";
}
