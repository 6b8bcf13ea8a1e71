// Division of a text into the pieces with the largest sum of scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "io/unicode.h"

namespace mtf::io {

template <typename Score>
struct IdWithScore {
  std::int32_t id = -1;
  Score score = 0;
};

/// The best division of the text before a place: its score, and its last piece. No division is known at first.
template <typename Score>
struct BestDivision {
  static constexpr std::size_t kNone = SIZE_MAX;
  Score score = 0;
  std::size_t begin = kNone;
  std::int32_t id = -1;
};

/// Divides a text into the pieces with the largest sum of scores (Viterbi, 1967), and calls `take` with each piece and
/// its id. `find` returns the id and the score of a piece, or nothing; no piece has more than `longest` bytes. A
/// character that is no piece is `unknown`.
template <typename Score, typename Find, typename Take>
void divide_likeliest(std::string_view text, std::size_t longest, IdWithScore<Score> unknown, const Find& find,
                      const Take& take) {
  const CharactersOf characters(text);
  std::vector<BestDivision<Score>> ends(text.size() + 1);
  const auto offer = [&](std::size_t begin, std::size_t end, Score score, std::int32_t id) {
    if (ends[end].begin == BestDivision<Score>::kNone || score > ends[end].score) ends[end] = {score, begin, id};
  };
  for (std::size_t i = 0; i < characters.values.size(); ++i) {
    const std::size_t begin = characters.begins[i];
    const Score before = ends[begin].score;
    bool has_single = false;
    for (std::size_t j = i + 1; j < characters.begins.size(); ++j) {
      const std::size_t end = characters.begins[j];
      if (end - begin > longest) break;
      const auto found = find(text.substr(begin, end - begin));
      if (!found) continue;
      offer(begin, end, found->score + before, found->id);
      has_single = has_single || j == i + 1;
    }
    if (!has_single) offer(begin, characters.begins[i + 1], unknown.score + before, unknown.id);
  }
  std::vector<std::pair<std::size_t, std::size_t>> path;
  for (std::size_t end = text.size(); end > 0; end = ends[end].begin) path.emplace_back(ends[end].begin, end);
  for (auto part = path.rbegin(); part != path.rend(); ++part)
    take(text.substr(part->first, part->second - part->first), ends[part->second].id);
}

}  // namespace mtf::io
