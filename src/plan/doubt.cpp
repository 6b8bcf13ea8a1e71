#include "plan/doubt.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mtf::plan {

std::string reason_of(const Doubt& doubt) {
  switch (doubt.kind) {
    case Doubt::Kind::kWays: return "only the run knows which way it goes: each is counted";
    case Doubt::Kind::kIterations: return "only the run knows how often: one turn is counted";
    case Doubt::Kind::kRest: return "only the run knows whether it ends here: what follows is counted";
    case Doubt::Kind::kUnknown: return "only the run knows what this works on: it is not counted";
    case Doubt::Kind::kSkipped: break;
  }
  return "not every turn was walked: the others are taken to cost as much";
}

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
