#include "syntax/format.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "syntax/print.h"

namespace mtf::syntax {
namespace {

// ---- columns
// ----------------------------------------------------------------------------------------------------------

struct Place {
  std::size_t line, column;  // in code points
};

Place place_of(const Span& span) {
  const std::size_t line = span.file->line_of(span.begin);
  const std::size_t start = span.file->line_start(line);
  return {line, count_code_points(span.file->text().substr(start, span.begin - start))};
}

// A token of the printed text, with the position of the same token in the source.
struct Stop {
  Span span;
  TokenClass kind;
  Place printed;
  Place source;
  bool can_move = false;  // blanks precede it in both texts
  bool has_gap = false;   // the source has more than one blank before it (two before a comment)
  std::size_t added = 0;  // number of blanks
};

// The distance of a token from the previous one. Strings are tokens.
std::size_t gap_before(const std::vector<Token>& tokens, std::size_t i) {
  return i == 0 ? 0 : tokens[i].span.begin - tokens[i - 1].span.end;
}

// Pairs each printed token with the source's.
std::vector<Stop> stops_of(const std::vector<Token>& printed, const std::vector<Token>& source) {
  std::vector<Stop> stops;
  std::size_t from = 0;
  for (std::size_t k = 0; k < printed.size(); ++k) {
    const Token& token = printed[k];
    std::size_t i = from;
    while (i < source.size() && source[i].span.text() != token.span.text() && i < from + 3) ++i;  // not printed
    if (i >= source.size() || source[i].span.text() != token.span.text()) continue;
    from = i + 1;
    const Span& like = source[i].span;
    const bool begins_line =
        like.file->is_first_on_line(like.begin) || token.span.file->is_first_on_line(token.span.begin);
    const std::size_t gap = gap_before(source, i);
    const std::size_t usual = token.kind == TokenClass::kComment ? 2 : 1;
    stops.push_back({token.span, token.kind, place_of(token.span), place_of(like),
                     !begins_line && gap > 0 && gap_before(printed, k) > 0, gap > usual, 0});
  }
  return stops;
}

// True if both are signs, both comments, or both values.
bool are_alike(const Stop& a, const Stop& b) {
  const auto is_sign = [](const Stop& stop) { return stop.kind == TokenClass::kOperator; };
  const auto is_comment = [](const Stop& stop) { return stop.kind == TokenClass::kComment; };
  if (is_sign(a) || is_sign(b)) return a.span.text() == b.span.text();
  return is_comment(a) == is_comment(b);
}

// Aligned stops: sets of indices, by their column in the source.
class Groups {
 public:
  explicit Groups(const std::vector<Stop>& stops) : parent_(stops.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  void join(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

 private:
  std::vector<std::size_t> parent_;
};

// Adds blanks to `printed`, so that it keeps the alignment of the source. Tokens are aligned if they begin in the same
// column of neighbouring source lines, and at least one has extra blanks before it. Both texts have the same tokens,
// apart from trailing commas and semicolons. Repeating it changes nothing more.
std::string keep_columns(const std::shared_ptr<const SourceFile>& source, const std::string& text) {
  const auto printed = SourceFile::create(source->name(), text);
  std::vector<Stop> stops = stops_of(tokenize(printed), tokenize(source));
  std::vector<std::vector<std::size_t>> lines(printed->line_count() + 2);  // the stops of each printed line
  for (std::size_t i = 0; i < stops.size(); ++i) lines[stops[i].printed.line].push_back(i);
  Groups groups(stops);
  std::vector<bool> is_joined(stops.size());
  for (std::size_t line = 0; line + 1 < lines.size(); ++line) {
    for (const std::size_t above : lines[line]) {
      for (const std::size_t below : lines[line + 1]) {
        const Stop &a = stops[above], &b = stops[below];
        const bool under = a.source.column == b.source.column && a.source.line + 1 == b.source.line;
        if (!under || !are_alike(a, b) || !a.can_move || !b.can_move || !(a.has_gap || b.has_gap)) continue;
        groups.join(above, below);
        is_joined[above] = is_joined[below] = true;
      }
    }
  }
  // Goes from left to right, because added blanks move the following tokens.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < stops.size(); ++i)
    if (is_joined[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(stops[a].source.column, groups.root(a)) < std::pair(stops[b].source.column, groups.root(b));
  });
  const auto column_now = [&](std::size_t i) {
    std::size_t column = stops[i].printed.column;
    for (const std::size_t other : lines[stops[i].printed.line])
      if (other <= i) column += stops[other].added;
    return column;
  };
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin, column = 0;
    for (; end < order.size() && groups.root(order[end]) == groups.root(order[begin]); ++end)
      column = std::max(column, column_now(order[end]));
    for (; begin < end; ++begin) stops[order[begin]].added += column - column_now(order[begin]);
  }
  std::string out;
  std::size_t done = 0;
  for (const Stop& stop : stops) {
    out.append(text, done, stop.span.begin - done);
    out.append(stop.added, ' ');
    done = stop.span.begin;
  }
  return out.append(text, done);
}

// ---- what is not changed
// ---------------------------------------------------------------------------------------------

// The part that must not change: the statements, without comments and line breaks, and the comments.
std::string essence(const ast::Program& program) {
  std::string text = program.doc;
  for (const ast::Stmt& stmt : program.body.statements) text += "\n" + print(stmt) + (stmt.quiet ? ";" : "");
  for (const ast::Comment& comment : program.comments) {
    std::string_view words = comment.span.text();
    while (!words.empty() && (words.back() == ' ' || words.back() == '\t')) words.remove_suffix(1);
    text += "\n" + std::string(words);
  }
  return text;
}

}  // namespace

std::string format(const std::shared_ptr<const SourceFile>& source) {
  const ast::Program program = parse_or_throw(source, ParseMode::kRepl);
  std::string made = keep_columns(source, print(program));
  const ast::Program again = parse_or_throw(SourceFile::create(source->name(), made), ParseMode::kRepl);
  MTF_CHECK(essence(program) == essence(again), "formatting {} would change it", source->name());
  return made;
}

}  // namespace mtf::syntax
