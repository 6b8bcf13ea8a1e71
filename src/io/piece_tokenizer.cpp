#include "io/piece_tokenizer.h"

#include <algorithm>
#include <queue>

#include "io/unicode.h"

namespace mtf::io {
namespace {

bool is_word_character(const std::vector<char32_t>& characters) {
  static const Pattern word("\\w");
  return characters.size() == 1 && word.match(characters, 0).has_value();
}

}  // namespace

// ---- tokens that stand for themselves ----

WholeTokens::WholeTokens(std::vector<WholeToken> tokens) : tokens_(std::move(tokens)), by_byte_(256) {
  for (std::size_t i = 0; i < tokens_.size(); ++i)
    by_byte_[static_cast<unsigned char>(tokens_[i].text[0])].push_back(i);
  for (std::vector<std::size_t>& places : by_byte_)
    std::sort(places.begin(), places.end(),
              [&](std::size_t a, std::size_t b) { return tokens_[a].text.size() > tokens_[b].text.size(); });
}

const WholeToken* WholeTokens::at(std::string_view text, std::size_t place) const {
  for (const std::size_t i : by_byte_[static_cast<unsigned char>(text[place])])
    if (text.substr(place).starts_with(tokens_[i].text)) return &tokens_[i];
  return nullptr;
}

void WholeTokens::divide(std::string_view text, const std::function<void(std::string_view, bool)>& between,
                         const std::function<void(const WholeToken&)>& token) const {
  std::size_t begin = 0, at = 0;
  while (!tokens_.empty() && at < text.size()) {
    const WholeToken* found = this->at(text, at);
    const std::size_t end = found ? at + found->text.size() : 0;
    const bool stands_alone =
        found && (!found->is_single_word || (!is_word_character(last_character(text.substr(0, at))) &&
                                             !is_word_character(first_character(text.substr(end)))));
    if (!stands_alone) {
      at = found ? end : at + 1;
      continue;
    }
    std::string_view before = text.substr(begin, at - begin);
    if (found->takes_spaces_before) before = without_spaces_behind(before);
    if (!before.empty()) between(before, begin == 0);
    token(*found);
    begin = at = found->takes_spaces_behind ? text.size() - without_spaces_before(text.substr(end)).size() : end;
  }
  if (begin < text.size()) between(text.substr(begin), begin == 0);
}

// ---- the stages ----

namespace {

std::vector<WholeToken> tokens_of(const std::vector<WholeToken>& all, bool is_normalized) {
  std::vector<WholeToken> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const WholeToken& token) { return token.is_normalized == is_normalized; });
  return some;
}

std::string in_stages(const std::vector<std::function<std::string(std::string)>>& stages, std::string text) {
  for (const auto& stage : stages) text = stage(std::move(text));
  return text;
}

std::vector<WholeToken> normalized_tokens_of(const PieceTokenizer::Stages& stages) {
  std::vector<WholeToken> some = tokens_of(stages.whole, true);
  for (WholeToken& token : some) token.text = in_stages(stages.normalize, token.text);
  std::erase_if(some, [](const WholeToken& token) { return token.text.empty(); });
  return some;
}

}  // namespace

PieceTokenizer::PieceTokenizer(Stages stages)
    : stages_(std::move(stages)), raw_(tokens_of(stages_.whole, false)), normalized_(normalized_tokens_of(stages_)) {
  for (const auto& [id, text] : stages_.texts) vocab_ = std::max<std::int64_t>(vocab_, std::int64_t{id} + 1);
  for (const WholeToken& token : stages_.whole) {
    vocab_ = std::max<std::int64_t>(vocab_, std::int64_t{token.id} + 1);
    stages_.texts[token.id] = token.text;
    if (token.is_special) special_.push_back(token.id);
  }
  std::sort(special_.begin(), special_.end());
}

std::string PieceTokenizer::normalized(std::string text) const { return in_stages(stages_.normalize, std::move(text)); }

PieceTokenizer::Ids PieceTokenizer::encode(std::string_view text) const {
  Ids ids;
  const auto token = [&](const WholeToken& whole) { ids.push_back(whole.id); };
  raw_.divide(
      text,
      [&](std::string_view part, bool is_first) {
        normalized_.divide(
            normalized(std::string(part)),
            [&](std::string_view plain, bool is_first_of_part) {
              encode_from(0, {std::string(plain), is_first && is_first_of_part}, ids);
            },
            token);
      },
      token);
  return ids;
}

void PieceTokenizer::encode_from(std::size_t stage, Piece piece, Ids& ids) const {
  if (piece.text.empty()) return;
  if (stage == stages_.divide.size()) return stages_.encode(piece.text, ids);
  stages_.divide[stage](std::move(piece), [&](Piece smaller) { encode_from(stage + 1, std::move(smaller), ids); });
}

std::string PieceTokenizer::decode(std::span<const std::int32_t> ids) const {
  std::vector<std::string> texts;
  for (const std::int32_t id : ids) {
    const auto found = stages_.texts.find(id);
    if (found == stages_.texts.end() || std::binary_search(special_.begin(), special_.end(), id)) continue;
    texts.push_back(found->second);
  }
  for (const auto& stage : stages_.decode) stage(texts);
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

// ---- parts of stages ----

std::vector<std::pair<std::size_t, std::size_t>> Finder::matches(std::string_view all) const {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  if (!pattern) {
    for (std::size_t at = 0; !text.empty() && (at = all.find(text, at)) != std::string_view::npos; at += text.size())
      found.emplace_back(at, at + text.size());
    return found;
  }
  const CharactersOf characters(all);
  for (std::size_t at = 0; at < characters.values.size();) {
    const std::size_t count = pattern->match(characters.values, at).value_or(0);
    if (count > 0) found.emplace_back(characters.begins[at], characters.begins[at + count]);
    at += std::max<std::size_t>(1, count);
  }
  return found;
}

void divide_at(const Finder& finder, Division division, bool is_inverted, const Piece& piece,
               const PieceTokenizer::Visit& visit) {
  struct Part {
    std::size_t begin, end;
    bool is_match;
  };
  std::vector<Part> parts;
  std::size_t at = 0;
  for (const auto& [begin, end] : finder.matches(piece.text)) {
    if (at < begin) parts.push_back({at, begin, is_inverted});
    parts.push_back({begin, end, !is_inverted});
    at = end;
  }
  if (at < piece.text.size()) parts.push_back({at, piece.text.size(), is_inverted});

  std::vector<Part> merged;
  const bool is_backward = division == Division::kMergedWithNext;
  if (is_backward) std::reverse(parts.begin(), parts.end());
  bool was_match = false;
  for (const Part& part : parts) {
    const bool joins = merged.empty()                      ? false
                       : division == Division::kContiguous ? part.is_match == was_match
                       : division == Division::kIsolated   ? false
                       : division == Division::kRemoved    ? false
                                                           : part.is_match && !was_match;
    was_match = part.is_match;
    if (joins) {
      merged.back().begin = std::min(merged.back().begin, part.begin);
      merged.back().end = std::max(merged.back().end, part.end);
    } else if (division != Division::kRemoved || !part.is_match) {
      merged.push_back(part);
    }
  }
  if (is_backward) std::reverse(merged.begin(), merged.end());
  for (const Part& part : merged)
    visit({piece.text.substr(part.begin, part.end - part.begin), piece.begins_text && part.begin == 0});
}

void join_parts(std::vector<PiecePart>& parts,
                const std::function<std::optional<Join>(const PiecePart&, const PiecePart&)>& join_of) {
  struct Linked {
    std::size_t before, behind;
    bool is_there;
  };
  struct Candidate {
    std::int32_t rank;
    std::size_t left, right;
    std::int32_t left_id, right_id, id;
    bool operator<(const Candidate& other) const {  // the lowest rank, then the leftmost, comes first
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<Linked> links;
  for (std::size_t i = 0; i < parts.size(); ++i)
    links.push_back({i == 0 ? kNone : i - 1, i + 1 < parts.size() ? i + 1 : kNone, true});
  std::priority_queue<Candidate> candidates;
  const auto note = [&](std::size_t left, std::size_t right) {
    if (left == kNone || right == kNone) return;
    if (const auto join = join_of(parts[left], parts[right]))
      candidates.push({join->rank, left, right, parts[left].id, parts[right].id, join->id});
  };
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) note(i, i + 1);
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    Linked &left = links[best.left], &right = links[best.right];
    const bool is_current = left.is_there && right.is_there && left.behind == best.right &&
                            parts[best.left].id == best.left_id && parts[best.right].id == best.right_id;
    if (!is_current) continue;
    parts[best.left].id = best.id;
    parts[best.left].end = parts[best.right].end;
    left.behind = right.behind;
    right.is_there = false;
    if (left.behind != kNone) links[left.behind].before = best.left;
    note(left.before, best.left);
    note(best.left, left.behind);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (links[i].is_there) parts[kept++] = parts[i];
  parts.resize(kept);
}

}  // namespace mtf::io
