#include "run/memory_check.h"

#include <algorithm>
#include <string>

#include "support/available_memory.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::run {
namespace {

/// Fails unless the machine has `needed` bytes for all its ranks, and this process `bytes`. Each rank must have `spare`
/// more.
void require_memory(Transport& transport, int64_t needed, int64_t bytes, int64_t spare, Span span) {
  const int64_t there = transport.min_here(machine_memory()), own = process_memory();
  const bool machine_has = needed + transport.ranks_here() * spare <= there;
  const bool all_have = transport.min_here(own - bytes - spare) >= 0;
  if (machine_has && all_have) return;
  const std::string where =
      transport.ranks_here() > 1 ? fmt::format(" on the {} ranks of this machine", transport.ranks_here()) : "";
  const std::string rest = spare > 0 ? fmt::format(" with {} to spare", mtf::bytes_text(spare)) : "";
  const std::string what = machine_has ? fmt::format("needs {}{}, {} are available under the limit of the process",
                                                     mtf::bytes_text(bytes), rest, mtf::bytes_text(own))
                                       : fmt::format("needs {}{}{}, {} are available", mtf::bytes_text(needed), where,
                                                     rest, mtf::bytes_text(there));
  fail(Diagnostic(Kind::out_of_memory, span, what)
           .help("split a large dimension over more processors, or run with fewer ranks on this machine"));
}

}  // namespace

void check_memory(Transport& transport, int64_t bytes, Span span) {
  const int64_t needed = transport.sum_here(std::max<int64_t>(0, bytes));
  if (needed >= kUncheckedBytes) require_memory(transport, needed, bytes, 0, span);
}

void check_growth(Transport& transport, MemoryPool& pool, int64_t bytes, int64_t alone_bytes, int64_t hosted,
                  Span span) {
  const int64_t alone = pool.alone_live() + alone_bytes;
  if (alone - pool.alone_checked() < kUncheckedBytes / hosted) return;
  pool.note_checked(alone);
  // `spare` covers the growth before the next check.
  require_memory(transport, transport.sum_here(bytes), bytes, kUncheckedBytes, span);
}

}  // namespace mtf::run
