#include "run/agreement.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// Returns a text such as `rank 1 computes at b.mtf:5:7: print(sum(range(n) + 1))`.
std::string whereabouts(int rank, Span place, std::string_view what) {
  if (!place.is_known()) return fmt::format("rank {} {}", rank, what);
  std::string_view line = place.file->line(place.position().line);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return fmt::format("rank {} {} at {}: {}", rank, what, to_text(place), line);
}

}  // namespace

bool agree(Transport& transport, const plan::PlanKey& key, Span place, std::string_view what, bool wants_end) {
  if (transport.ranks() == 1) return wants_end;
  const auto a = static_cast<int64_t>(key[0]), b = static_cast<int64_t>(key[1]);
  std::vector<int64_t> numbers = {a, ~a, b, ~b, wants_end ? 1 : 0};
  // The maxima of a number and of its complement are complements only if all ranks agree.
  transport.max_of_all(numbers);
  if (numbers[0] == ~numbers[1] && numbers[2] == ~numbers[3]) return numbers[4] != 0;

  Diagnostic diagnostic(Kind::ranks_disagree, place,
                        fmt::format("rank {} {}{}", transport.rank(), what, place.is_known() ? " this" : ""));
  std::string text(sizeof key, ' ');
  std::memcpy(text.data(), key.data(), sizeof key);
  const std::vector<std::string> texts = transport.gather_texts(text + whereabouts(transport.rank(), place, what));
  for (const std::string& other : texts) {
    if (other.starts_with(text)) continue;
    diagnostic.note(other.substr(sizeof key));
    break;  // the first difference is enough
  }
  fail(
      std::move(diagnostic)
          .help("all ranks must run the same script and modules, with the same options: compare them on the machines"));
}

void Digest::add(std::string_view bytes) { value_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), value_); }

}  // namespace mtf::run
