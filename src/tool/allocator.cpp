// The allocator of the command, and of the tests and benchmarks, which so measure what the command does.

/// Read by jemalloc, where it is linked: memory in large pages. A program of many operations is many small
/// things in much memory, and the processor spends half its time on finding the pages that they lie in.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always";
}
