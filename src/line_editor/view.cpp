// The view of an entry: its rows, the suggestion behind it, and the menu or a message below.
#include <algorithm>

#include "line_editor/characters.h"
#include "line_editor/editing.h"

namespace mtf::line_editor {
namespace {

constexpr Style kDim = "2", kReverse = "7";
constexpr std::size_t kMostOffered = 10;
constexpr std::size_t kLargestHighlighted = 50'000;
constexpr std::size_t kLongestLeft = 2'000;  // rows of an entry taller than the screen that stay complete

int width_of(std::string_view text) {
  Row row;
  row.add(text, "", 1'000'000);
  return row.width;
}

}  // namespace

// Empty if the terminal is too narrow for the prompt.
std::string_view Editing::prompt_of(std::size_t begin, int room) const {
  const std::string_view prompt = begin == 0 ? prompt_.first : prompt_.next;
  return width_of(prompt) * 2 > room ? "" : prompt;
}

std::vector<Editing::RowOfText> Editing::rows_of_text(int room) const {
  const std::string_view text = buffer_.text();
  const int after_first = room - width_of(prompt_of(0, room)), after_next = room - width_of(prompt_of(1, room));
  std::vector<RowOfText> rows;
  std::size_t begin = 0;
  bool begins_line = true;
  int left = after_first;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      rows.push_back({begin, at, begins_line});
      begin = ++at;
      begins_line = true;
      left = after_next;
      continue;
    }
    const Character character = character_at(text, at);
    if (character.width > left && at > begin) {
      rows.push_back({begin, at, begins_line});
      begin = at;
      begins_line = false;
      left = room;
    }
    left -= character.width;
    at += character.size;
  }
  rows.push_back({begin, text.size(), begins_line});
  return rows;
}

std::vector<Row> Editing::draw_text(const std::vector<RowOfText>& rows, std::size_t first, std::size_t count,
                                    int room) const {
  const std::string_view text = buffer_.text();
  const std::size_t begin = rows[first].begin == 0 ? 0 : text.rfind('\n', rows[first].begin - 1) + 1;
  const std::size_t end = std::min(text.find('\n', rows[first + count - 1].end), text.size());
  std::vector<Span> spans;
  if (options_.highlight && has_styles() && end - begin <= kLargestHighlighted)
    spans = options_.highlight(text.substr(begin, end - begin));
  auto span = spans.begin();
  std::vector<Row> drawn;
  for (std::size_t r = first; r < first + count; ++r) {
    Row& row = drawn.emplace_back();
    if (rows[r].begins_line) row.add(prompt_of(rows[r].begin, room), options_.prompt_style, room);
    for (std::size_t at = rows[r].begin; at < rows[r].end;) {
      while (span != spans.end() && begin + span->end <= at) ++span;
      const bool is_in = span != spans.end() && begin + span->begin <= at;
      const std::size_t stop =
          span == spans.end() ? rows[r].end : std::min(rows[r].end, begin + (is_in ? span->end : span->begin));
      row.add(text.substr(at, stop - at), is_in ? span->style : "", room);
      at = stop;
    }
  }
  return drawn;
}

std::vector<Row> Editing::draw_below(std::size_t most, int room) const {
  std::vector<Row> rows;
  if (search_) {
    rows.emplace_back().add(search_->failed ? "not in history: " : "search in history: ", kDim, room);
    rows.back().add(search_->text, "", room);
  } else if (!message_.empty()) {
    rows.emplace_back().add(message_, kDim, room);
  } else if (menu_) {
    const std::vector<Candidate>& offered = menu_->offered.candidates;
    const std::size_t seen = std::min({most, offered.size(), kMostOffered}), chosen = menu_->chosen.value_or(0);
    const std::size_t first = std::min(chosen - std::min(chosen, seen / 2), offered.size() - seen);
    int widest = 0;
    for (std::size_t i = first; i < first + seen; ++i) widest = std::max(widest, width_of(offered[i].text));
    for (std::size_t i = first; i < first + seen; ++i) {
      Row& row = rows.emplace_back();
      const bool is_chosen = menu_->chosen == i;
      row.add((is_chosen && !has_styles() ? "> " : "  ") + offered[i].text, is_chosen ? kReverse : "", room);
      if (!offered[i].description.empty())
        row.add(std::string(static_cast<std::size_t>(widest + 4 - row.width), ' ') + offered[i].description, kDim,
                room);
    }
    if (seen < offered.size() && !rows.empty()) rows.back().add("  … of " + std::to_string(offered.size()), kDim, room);
  }
  if (rows.size() > most) rows.resize(most);
  return rows;
}

void Editing::draw(bool is_last) {
  const Terminal::Size size = terminal_.size();
  const int room = std::max(static_cast<int>(size.columns) - 1, 8);
  if (is_last) {
    menu_.reset();
    message_.clear();
    buffer_.move_to(buffer_.text().size());
  }
  const std::vector<RowOfText> rows = rows_of_text(room);
  std::vector<Row> below;
  if (!is_last) below = draw_below(std::min(size.rows / 2, size.rows - 1), room);
  std::size_t seen = std::min(rows.size(), size.rows - below.size());
  std::size_t cursor_row = rows.size() - 1;
  while (rows[cursor_row].begin > buffer_.cursor()) --cursor_row;
  if (cursor_row < top_) top_ = cursor_row;
  if (cursor_row >= top_ + seen) top_ = cursor_row + 1 - seen;
  top_ = std::min(top_, rows.size() - seen);
  if (is_last && rows.size() > seen && rows.size() <= kLongestLeft) {
    terminal_.write(screen_.clear(size.columns));
    top_ = 0;
    seen = rows.size();
  }
  std::vector<Row> drawn = draw_text(rows, top_, seen, room);
  Row before_cursor;
  if (rows[cursor_row].begins_line) before_cursor.add(prompt_of(rows[cursor_row].begin, room), "", room);
  before_cursor.add(
      std::string_view(buffer_.text()).substr(rows[cursor_row].begin, buffer_.cursor() - rows[cursor_row].begin), "",
      room);
  if (!is_last) {
    const std::string rest = suggestion();
    Row& row = drawn[cursor_row - top_];
    row.add(rest.substr(0, rest.find('\n')) + (rest.find('\n') == std::string::npos ? "" : " …"), kDim, room);
  }
  for (Row& row : below) drawn.push_back(std::move(row));
  terminal_.write(screen_.draw(std::move(drawn), cursor_row - top_, before_cursor.width));
}

}  // namespace mtf::line_editor
