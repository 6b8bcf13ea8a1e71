#include "plan/doubt.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mtf::plan {

void add_doubt(Doubts& doubts, const Doubt& doubt) {
  const auto line_of = [](Span span) {
    return span.is_known() ? std::pair<std::string_view, std::size_t>(span.file->name(), span.file->line_of(span.begin))
                           : std::pair<std::string_view, std::size_t>();
  };
  const bool is_there = std::any_of(doubts.begin(), doubts.end(),
                                    [&](const Doubt& other) { return line_of(other.place) == line_of(doubt.place); });
  if (!is_there) doubts.push_back(doubt);
}

}  // namespace mtf::plan
