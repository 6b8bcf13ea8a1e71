#include "plan/doubt.h"

#include <algorithm>

namespace mtf {

void add_doubt(Doubts& doubts, const Doubt& doubt) {
  const auto line = [](Span span) { return span.is_known() ? span.file->line_of(span.begin) : 0; };
  const bool is_there = std::any_of(doubts.begin(), doubts.end(), [&](const Doubt& other) { return other.place.file == doubt.place.file && line(other.place) == line(doubt.place); });
  if (!is_there) doubts.push_back(doubt);
}

}  // namespace mtf
